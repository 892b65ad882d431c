# SPDX-License-Identifier: Apache-2.0
"""``python -m tracy``: run a command and write the profiler's report of its operations, with modelled times.

It takes the options of the original; those that say how Tracy works have nothing to do here. Performance counters and
traces of the NoC are refused.
"""

from __future__ import annotations

import optparse
import os
import subprocess
import sys
from pathlib import Path

from tilewright._card.profiler import WANTED, clear_logs, profile_request, profiler_directory
from tilewright._launch.observer import OBSERVER_VARIABLE
from tilewright._report.profiler_logs import write_report

_FLAGS = """
    -p -l -v --no-device --no-web-server --no-op-info-cache --profile-dispatch-cores --enable-sum-profiling
    --enable-accumulate-profiling --no-runtime-analysis --sync-host-device --device-trace-profiler
    --device-memory-profiler --dump-device-data-mid-run --disable-device-data-dump-to-files
    --disable-device-data-push-to-tracy --perf-counter-multipass --no-capture-tool
""".split()  # noqa: SIM905 (a table of names)
_WITH_VALUES = ("--web-app-port", "--op-support-count", "--child-functions", "--tracy-tools-folder")
_REFUSED = ("--process-logs-only", "--collect-noc-traces", "--profiler-capture-perf-counters")
_FAILED = 4  # as the original exits if the command failed and --check-exit-code is given


def _parser() -> optparse.OptionParser:
    """The original parses with optparse, which ends at the command as argparse does not."""
    parser = optparse.OptionParser("python3 -m tracy [-m module | scriptfile] [arg] ...")
    parser.disable_interspersed_args()
    parser.add_option("-m", action="store_true", dest="module", help="run a module")
    parser.add_option("-r", action="store_true", dest="report", help="write the report of operations")
    parser.add_option("-o", "--output-folder", dest="directory", help="folder of the profiler's files")
    parser.add_option("-n", "--name-append", dest="name", default="", help="part of the report's name")
    parser.add_option("--check-exit-code", action="store_true", dest="check", help="no report if the command fails")
    parser.add_option("-t", "--port", dest="port", help=optparse.SUPPRESS_HELP)
    parser.add_option("-a", "--device-analysis-types", action="append", dest="analyses", help=optparse.SUPPRESS_HELP)
    for name in _FLAGS:
        parser.add_option(name, action="store_true", dest="unused", help=optparse.SUPPRESS_HELP)
    for name in _WITH_VALUES:
        parser.add_option(name, dest="unused_value", help=optparse.SUPPRESS_HELP)
    for name in _REFUSED:
        parser.add_option(name, action="callback", callback=_refuse, help=optparse.SUPPRESS_HELP)
    return parser


def _refuse(option: optparse.Option, name: str, value: object, parser: optparse.OptionParser) -> None:
    parser.error(f"{name}: the simulated card has modelled times only, no counters, traces of the NoC or Tracy logs")


def main(arguments: list[str]) -> int:
    """Run the command; its exit status, or that of the original where the command failed."""
    parser = _parser()
    options, command = parser.parse_args(arguments)
    if not command:
        parser.error("give a script, or -m and a module")
    directory = Path(options.directory) if options.directory else profiler_directory(os.environ)
    clear_logs(directory)
    environment = {name: value for name, value in os.environ.items() if name != WANTED}
    environment |= {OBSERVER_VARIABLE: profile_request(directory), "TT_METAL_PROFILER_DIR": str(directory)}
    # One text for the shell, as in the original: callers put a whole command line into one argument.
    text = " ".join([sys.executable, *(["-m"] if options.module else []), *command])
    status = subprocess.run(text, shell=True, env=environment, check=False).returncode
    if status and options.check:
        print(f"tracy: {text} exited with status {status}", file=sys.stderr)
        return _FAILED
    if options.report:
        report = write_report(directory, options.name)
        print(f"tracy: {report or 'no report, because no program was launched'}", file=sys.stderr)
    return 0
