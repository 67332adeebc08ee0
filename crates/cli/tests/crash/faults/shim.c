/* Faults between a process and its disk and clock, loaded into it by LD_PRELOAD.
 *
 * FAULTS_CONTROL names a file of 64-bit numbers that this shares with the test (`shim.rs` has the same order). The test
 * arms a fault by writing numbers, while the process runs; the shim counts how often the fault could have struck and how
 * often it did. Only files whose names end as those of a store are touched.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { FAULT, FILES, SKIP, LEFT, CLOCK, SEED, SEEN, STRUCK, NUMBERS };
enum { NONE, SYNC_FAILS, WRITE_FAILS, DISK_FULL, READ_ONLY, SHORT_WRITE, TORN_WRITE, BIT_FLIP, KILLED_AT_SYNC };
enum { SYNC = 1, WRITE = 2, TRUNCATE = 4, OPEN = 8 };

static const int STRIKES[] = {
    [SYNC_FAILS] = SYNC,
    [WRITE_FAILS] = WRITE | TRUNCATE,
    [DISK_FULL] = WRITE,
    [READ_ONLY] = WRITE | TRUNCATE | OPEN,
    [SHORT_WRITE] = WRITE,
    [TORN_WRITE] = WRITE,
    [BIT_FLIP] = WRITE,
    [KILLED_AT_SYNC] = SYNC,
};

static volatile int64_t *control;

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("FAULTS_CONTROL");
    int fd = path ? (int)(intptr_t)open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0) return;
    void *shared = mmap(NULL, NUMBERS * sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (shared != MAP_FAILED) control = shared;
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static int64_t get(int number) { return __atomic_load_n(&control[number], __ATOMIC_SEQ_CST); }

/* The kinds of files, as bits: the database, its log, its index, its journal, the instance key; the log and tables of a
 * PostgreSQL server. */
static int kind(const char *path) {
    static const char *ends[] = {".db", "-wal", "-shm", "-journal", ".key.new"};
    size_t length = strlen(path);
    for (int n = 0; n < 5; n++) {
        size_t end = strlen(ends[n]);
        if (length >= end && !strcmp(path + length - end, ends[n])) return 1 << n;
    }
    if (strstr(path, "/pg_wal/") || strstr(path, "/data/base/")) return 1 << 5;
    return 0;
}

/* The fault that strikes this act on this file now, or NONE. */
static int strikes(int act, const char *path) {
    int fault = (int)get(FAULT);
    if (!fault || !(STRIKES[fault] & act) || !(kind(path) & get(FILES))) return NONE;
    if (__atomic_fetch_add(&control[SEEN], 1, __ATOMIC_SEQ_CST) < get(SKIP)) return NONE;
    int64_t left = get(LEFT);
    do {
        if (!left) return NONE;
    } while (left > 0 &&
             !__atomic_compare_exchange_n(&control[LEFT], &left, left - 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    __atomic_fetch_add(&control[STRUCK], 1, __ATOMIC_SEQ_CST);
    return fault;
}

static int strikes_fd(int act, int fd) {
    if (!control || !get(FAULT)) return NONE;
    char link[32] = "/proc/self/fd/", path[4096];
    char digits[12];
    int at = 14, count = 0;
    for (unsigned rest = (unsigned)fd; !count || rest; rest /= 10) digits[count++] = (char)('0' + rest % 10);
    while (count) link[at++] = digits[--count];
    link[at] = 0;
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return NONE;
    path[length] = 0;
    return strikes(act, path);
}

__attribute__((noreturn)) static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static int fail(int error) {
    errno = error;
    return -1;
}

/* Writes in the way of the fault. `again` writes some bytes with the real function. */
#define WRITES(fault, buffer, count, again) \
    switch (fault) { \
    case WRITE_FAILS: return fail(EIO); \
    case DISK_FULL: return fail(ENOSPC); \
    case READ_ONLY: return fail(EROFS); \
    case SHORT_WRITE: return again(buffer, count > 1 ? count / 2 : count); \
    case TORN_WRITE: again(buffer, count / 2); die(); \
    case BIT_FLIP: { \
        if (!count) break; \
        char *flipped = malloc(count); \
        if (!flipped) break; \
        memcpy(flipped, buffer, count); \
        uint64_t bit = ((uint64_t)get(SEED) * 0x9E3779B97F4A7C15ull >> 11) % (count * 8); \
        flipped[bit / 8] ^= (char)(1 << bit % 8); \
        ssize_t written = again(flipped, count); \
        free(flipped); \
        return written; \
    } \
    default: break; \
    }

ssize_t write(int fd, const void *buffer, size_t count) {
    REAL(write);
#define AGAIN(bytes, some) real(fd, bytes, some)
    WRITES(strikes_fd(WRITE, fd), buffer, count, AGAIN)
#undef AGAIN
    return real(fd, buffer, count);
}

#define PWRITE(name, offset_type) \
    ssize_t name(int fd, const void *buffer, size_t count, offset_type offset) { \
        REAL(name); \
        WRITES(strikes_fd(WRITE, fd), buffer, count, AGAIN) \
        return real(fd, buffer, count, offset); \
    }
#define AGAIN(bytes, some) real(fd, bytes, some, offset)
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

static int sync_fault(int fd) {
    switch (strikes_fd(SYNC, fd)) {
    case SYNC_FAILS: return fail(EIO);
    case KILLED_AT_SYNC: die();
    default: return 0;
    }
}

int fsync(int fd) {
    REAL(fsync);
    return sync_fault(fd) ? -1 : real(fd);
}

int fdatasync(int fd) {
    REAL(fdatasync);
    return sync_fault(fd) ? -1 : real(fd);
}

static int truncate_fault(int fd) {
    switch (strikes_fd(TRUNCATE, fd)) {
    case WRITE_FAILS: return fail(EIO);
    case READ_ONLY: return fail(EROFS);
    default: return 0;
    }
}

int ftruncate(int fd, off_t length) {
    REAL(ftruncate);
    return truncate_fault(fd) ? -1 : real(fd, length);
}

int ftruncate64(int fd, off64_t length) {
    REAL(ftruncate64);
    return truncate_fault(fd) ? -1 : real(fd, length);
}

static int open_fault(const char *path, int flags) {
    if (!control || (flags & O_ACCMODE) == O_RDONLY || !get(FAULT)) return 0;
    return strikes(OPEN, path) ? fail(EROFS) : 0;
}

#define OPENS(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        return open_fault(path, flags) ? -1 : real(path, flags, mode); \
    }
OPENS(open)
OPENS(open64)

static void shift(int64_t *seconds, long *part, long parts_in_ms) {
    int64_t by = control ? get(CLOCK) : 0;
    if (!by) return;
    __atomic_fetch_add(&control[STRUCK], 1, __ATOMIC_SEQ_CST);
    *seconds += by / 1000;
    *part += by % 1000 * parts_in_ms;
    if (*part < 0) *part += 1000 * parts_in_ms, *seconds -= 1;
    if (*part >= 1000 * parts_in_ms) *part -= 1000 * parts_in_ms, *seconds += 1;
}

int clock_gettime(clockid_t id, struct timespec *now) {
    REAL(clock_gettime);
    int got = real(id, now);
    if (!got && id == CLOCK_REALTIME) {
        int64_t seconds = now->tv_sec;
        shift(&seconds, &now->tv_nsec, 1000000);
        now->tv_sec = (time_t)seconds;
    }
    return got;
}

int gettimeofday(struct timeval *now, void *zone) {
    struct timespec precise;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &precise)) return -1;
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *at) {
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    if (at) *at = precise.tv_sec;
    return precise.tv_sec;
}
