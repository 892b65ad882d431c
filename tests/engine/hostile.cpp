// SPDX-License-Identifier: Apache-2.0
// What no kernel should do, by number. Each deed stands on the line of its case: tests look the line up by its name.
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "api/debug/dprint.h"

volatile uint32_t* l1() { return reinterpret_cast<volatile uint32_t*>(get_semaphore(0)); }
void* l1_page() { return reinterpret_cast<void*>(static_cast<uintptr_t>(get_semaphore(0)) & ~0xfffull); }

void overrun_upward(uint32_t words) {
    volatile uint32_t local[16];
    for (uint32_t i = 0; i < words; i++) {
        local[i] = 0x41414141;
    }
}
void overrun_downward(uint32_t words) {
    volatile uint32_t local[16];
    for (uint32_t i = 0; i < words; i++) {
        local[-static_cast<int>(i)] = 0x41414141;
    }
}
template <uint32_t bytes>
uint32_t large_locals() {
    volatile uint8_t local[bytes];
    local[0] = 1;
    return local[0];
}
void take_recursion(volatile uint8_t* outer) {
    volatile uint8_t local[512];
    local[0] = outer[0];
    take_recursion(local);
}
void* fault(void*) {
    *reinterpret_cast<volatile int*>(8) = 1;
    return nullptr;
}
void ignore(int) {}
void block_signals() {
    sigset_t all;
    sigfillset(&all);
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, nullptr, 8);
}
uint8_t* volatile g_block;
uint8_t* volatile g_after;
void damage_heap() {
    g_block = static_cast<uint8_t*>(malloc(2000));
    g_after = static_cast<uint8_t*>(malloc(2000));
    memset(g_block, 0x5a, 2100);
    free(g_after);
    free(g_block);
}
void free_twice() {
    g_block = static_cast<uint8_t*>(malloc(24));
    free(g_block);
    free(g_block);
}
void overrun_a_little(uint32_t words) {
    volatile uint32_t outer[200];
    outer[0] = words;
    overrun_upward(words);
}
void lock_twice() {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
}
void wait_for_semaphore() {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    sem_wait(&semaphore);
}
void read_the_owners_messages() {
    char byte;
    for (int file = 3; file < 1024; file++) {
        (void)!read(file, &byte, 1);
    }
}
void clear_for_ever() {
    static char memory[65536];
    for (;;) memset(memory, 1, sizeof memory);
}
void sleep_for_ever() {
    for (;;) sleep(1000);
}

void kernel_main() {
    switch (get_arg_val<uint32_t>(0)) {
        case 0: l1()[0] = 7; break;  // nothing
        case 1: overrun_upward(1 << 20); break;  // overrun upward
        case 2: overrun_a_little(40); break;  // overrun upward by a little
        case 3: overrun_downward(1 << 26); break;  // overrun downward
        case 4: l1()[0] = large_locals<1 << 20>(); break;  // locals larger than the stack
        case 5: l1()[0] = large_locals<200 << 20>(); break;  // locals larger than the guard
        case 6: take_recursion((volatile uint8_t*)l1()); break;  // endless recursion
        case 7: exit(3); break;  // exit
        case 8: _exit(3); break;  // _exit
        case 9: syscall(SYS_exit_group, 3); break;  // system call exit
        case 10: abort(); break;  // abort
        case 11: pthread_exit(nullptr); break;  // pthread_exit
        case 12: { pthread_t thread; pthread_create(&thread, nullptr, fault, nullptr); break; }  // thread that faults
        case 13: raise(SIGTERM); break;  // raise SIGTERM
        case 14: kill(getpid(), SIGKILL); break;  // kill itself
        case 15: kill(getppid(), SIGTERM); break;  // kill its owner
        case 16: raise(SIGSTOP); break;  // stop itself
        case 17: signal(SIGSEGV, ignore); break;  // replace a handler
        case 18: free_twice(); break;  // double free
        case 19: damage_heap(); break;  // heap damage
        case 20: mprotect(l1_page(), 4096, PROT_NONE); l1()[0] = 1; break;  // mprotect of L1
        case 21: munmap(l1_page(), 1 << 20); l1()[0] = 1; break;  // munmap of L1
        case 22: read_the_owners_messages(); break;  // blocking read
        case 23: wait_for_semaphore(); break;  // sem_wait
        case 24: lock_twice(); break;  // mutex
        case 25: clear_for_ever(); break;  // memset in an endless loop
        case 26: while (l1()[0] == 0) {} break;  // spin
        case 27: for (;;) DPRINT << "again and again" << ENDL(); break;  // endless output
        case 28: for (;;) DPRINT << "x"; break;  // endless line
        case 29: l1()[0] = open("written_by_a_kernel", O_CREAT | O_WRONLY, 0600); break;  // open a file
        case 30: l1()[0] = open("/etc/passwd", O_RDONLY); break;  // read a file
        case 31: l1()[0] = socket(AF_INET, SOCK_STREAM, 0); break;  // open a socket
        case 32: l1()[0] = fork(); break;  // fork
        case 33: l1()[0] = system("true"); break;  // start a program
        case 34: block_signals(); while (l1()[0] == 0) {} break;  // block signals and spin
        case 35: sleep_for_ever(); break;  // sleep for ever
        case 36: ((void (*)())0x1234567890)(); break;  // jump nowhere
        case 37: raise(SIGUSR1); break;  // raise SIGUSR1
        case 38: raise(SIGRTMIN + 9); break;  // raise a real-time signal
        case 39: block_signals(); memset((void*)0x100000000, 0, 1ull << 46); break;  // block signals and fault
    }
}
