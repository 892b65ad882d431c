# SPDX-License-Identifier: Apache-2.0
"""Two clean execution logs of a made-up operation: the template, and a short one by hand. Tests break them."""

TEMPLATE = """\
# Agent Execution Log: builder

## Metadata
| Field | Value |
|-------|-------|
| Operation | `scale_w_rm` |
| Agent | `builder` |
| Stages | 4-6 |
| Input | `scale_w_rm_spec.md` |
| Predecessor | scaffolder |
| Final Status | PARTIAL (Stages 4-5 COMPLETE, Stage 6 INCOMPLETE) |
| Total Attempts | 5 |
| Final Commit | 0123456789 |

## 1. Input Interpretation

| Field | Value | Confidence | Notes |
|-------|-------|------------|-------|
| operation_name | scale_w_rm | HIGH | in the heading |
| cb_count | 4 (c_0, c_1, c_2, c_16) | MEDIUM | counted |

### CB Requirements from Spec

| CB ID | Purpose | Capacity | Block Size | Producer | Consumer |
|-------|---------|----------|------------|----------|----------|
| c_0 | sticks in | 2*Wt | Wt | Reader | Compute |
| c_1 | tiles | Wt | Wt | Compute | Compute |
| c_2 | factor | 1 | 1 | Reader | Compute |
| c_16 | sticks out | 2*Wt | Wt | Compute | Writer |

## 2. Execution Timeline

### Stage 4: Device operation

#### Attempt 1 (RED): write the test

| Field | Value |
|-------|-------|
| Expected | fails |
| Actual | no such operation |
| Result | FAIL |

#### Attempt 2 (GREEN): implement

| Field | Value |
|-------|-------|
| Action | wrote the operation |
| Result | PASS |

### Stage 5: Program factory

#### Attempt 1: buffers

| Field | Value |
|-------|-------|
| Action | build with four buffers |
| Result | FAIL |

- **Error Type**: build_error
- **Root Cause Hypothesis**: H1: a variable is not used yet
- **Recovery Action**: used it

#### Attempt 2: buffers again

| Field | Value |
|-------|-------|
| Action | the same |
| Result | PASS |

### Stage 6: Stub kernels (INCOMPLETE)

#### Attempt 1: pass the sticks through

| Field | Value |
|-------|-------|
| Action | three stubs |
| Result | HANG |
| Kernel compilation | PASS |
| Execution | HANG |

- **Error Type**: test_timeout / hang
- **Root Cause Hypothesis**: H2: the factor is never pushed
- **Evidence**: the compute kernel waits

## 2a. Circular Buffer Configuration

| CB ID | Index | Page Size | Num Pages | Data Type | Purpose | Source |
|-------|-------|-----------|-----------|-----------|---------|--------|
| cb_in | c_0 | tile_size | 2*Wt | bf16 | sticks in | Spec line 40 |
| cb_tiled | c_1 | tile_size | Wt | bf16 | tiles | Spec line 41 |
| cb_factor | c_2 | tile_size | 1 | bf16 | factor, never popped | Spec line 42 |
| cb_out | c_16 | tile_size | 2*Wt | bf16 | sticks out | Spec line 43 |

### CB Synchronization Verification

| CB | Producer | Push Operation | Consumer | Pop Operation | Balanced? |
|----|----------|----------------|----------|---------------|-----------|
| c_0 | Reader | cb_push_back(Wt) per tile-row | Compute | cb_pop_front(Wt) per tile-row | YES |
| c_1 | Compute | cb_push_back(Wt) per tile-row | Compute | cb_pop_front(Wt) per tile-row | YES |
| c_2 | Reader | 1 (once) | Compute | 0 (persistent) | YES |
| c_16 | Compute | Wt/iter | Writer | Wt/iter | YES |

### Design Compliance

| Phase | Directive | Implementation | Compliant |
|-------|-----------|----------------|-----------|
| Reader | NO HELPER | raw NoC reads | Yes |
| Tilize | USE HELPER | compute_kernel_lib::tilize(c_0, Wt, c_1, 1) | Yes |
| Scale | USE HELPER | mul_tiles_bcast, mul_tiles | No |

## 3. Recovery Summary

| # | Stage | Error Type | Root Cause (Hypothesis) | Recovery Action | Resolved? |
|---|-------|------------|-------------------------|-----------------|-----------|
| 1 | 5 | build_error | H1: a variable is not used yet | used it | YES |
| 2 | 6 | hang | H2: the factor is never pushed | none yet | NO |

**Total attempts per stage**: Stage 4: 2, Stage 5: 2, Stage 6: 1

## 4. Deviations from Spec

None: the four buffers are those of the spec.

## 5. Artifacts

### Files Created
- `test_dev/test_stage4_device_op.py` (30 lines)
- `device/scale_w_rm_program_factory.cpp` (240 lines)

### Files Modified
- `device/scale_w_rm_device_operation.cpp` - checks added

## Tests Status

| Test | Status | Notes |
|------|--------|-------|
| test_stage4_device_op.py | PASS | |
| test_stage5_program_factory.py | PASS | |
| test_stage6_stub_kernels.py | HANG | stops in compute |

## 6. Handoff Notes

- The stubs hang; look at the factor first.

## 8. Git Commit History

| Commit SHA | Message | Build | Tests |
|------------|---------|-------|-------|
| 0123456789 | [builder] stages 4-6: factory and stubs | PASSED | stage4=PASS, stage5=PASS, stage6=HANG |

## Summary

**Stages 4-5 COMPLETE**: the factory stands.

**Stage 6 INCOMPLETE**: the stubs compile and hang.
"""

FREE_FORM = """\
# writer Execution Log

## Operation
scale_w_rm

## Status
PARTIAL

## Summary
- **Stage 6**: stubs run (PASS)
- **Stage 7**: numbers are off (FAIL)

## Stage 6: Stub kernels

**Status**: ✅ PASS

**Test Results**:
```
test_stage6_stub_kernels.py::test_runs PASSED
test_stage6_stub_kernels.py::test_shape PASSED
```

### Circular Buffer Configuration

| CB ID | Purpose | Page Size | Num Pages | Notes |
|-------|---------|-----------|-----------|-------|
| c_0 | Input RM sticks | stick_size | 32 | one row |
| c_1 | Tiled input | tile_size | 2*Wt | Double-buffered |
| c_2 | Scaler | tile_size | 1 | PERSISTENT - never popped |
| c_16 | Output RM sticks | stick_size | 32 | one row |

### CB Synchronization Analysis

| CB | Producer | Consumer | Push Count | Pop Count | Status |
|----|----------|----------|------------|-----------|--------|
| c_0 | Reader | Compute | 32/iter | 32/iter | OK |
| c_1 | Compute | Compute | Wt/iter | Wt/iter | OK |
| c_2 (cb_scaler) | Reader | Compute | 1 (once) | 0 (persistent) | OK |
| c_16 | Compute | Writer | 32/iter | 32/iter | OK |

## Stage 7 Tests

**Results**: 1 passed, 1 failed, 1 skipped

| Test | Status | Description |
|------|--------|-------------|
| test_single_tile | PASSED | 32x32 |
| test_wide | FAILED | 32x256 |
| test_batched_input | SKIPPED | the factory counts one batch |

## Input interpretation

| Field | Value | Confidence |
|-------|-------|------------|
| factor | 1/W | HIGH |

## Deviations from Design

1. **No second pass**: the design had one.

## Files Modified

1. `kernels/compute/scale.cpp` - the real kernel

## Handoff

- The scaler is right; look at the second pass.

## Commits
- `e1d0a7a281` - [writer] stage 7: work in progress
"""
