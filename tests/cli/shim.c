/* Preloaded into airda: counts what it does to files below SHIM_DIR and, from number SHIM_AT on,
   behaves like a full disk (SHIM_DO=full) or a crash (SHIM_DO=kill, half of a write done); with
   SHIM_DO=once that one operation fails and no other.
   Everything is also written to SHIM_LOG, a line each. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

#define CRASH -1

static int count;

static int watched(const char *path) {
    const char *dir = getenv("SHIM_DIR");
    return dir && strncmp(path, dir, strlen(dir)) == 0;
}

static int watched_fd(int fd, char *path, size_t len) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t got = readlink(link, path, len - 1);
    if (got < 0) return 0;
    path[got] = 0;
    return watched(path);
}

/* What is to happen in place of this: nothing (0), a crash, or this error. */
static int strikes(const char *what, const char *path, const char *to, int takes_space) {
    count++;
    const char *log = getenv("SHIM_LOG");
    if (log) {
        int fd = REAL(open)(log, O_WRONLY | O_APPEND | O_CREAT, 0644);
        char line[2048];
        int len = snprintf(line, sizeof line, "%s %s%s%s\n", what, path, *to ? " " : "", to);
        if (REAL(write)(fd, line, len) != len) abort();
        close(fd);
    }
    const char *at = getenv("SHIM_AT"), *action = getenv("SHIM_DO");
    if (!at || !action || count < atoi(at)) return 0;
    if (strcmp(action, "kill") == 0) return CRASH;
    if (strcmp(action, "once") == 0) return count == atoi(at) ? EIO : 0;
    return takes_space ? ENOSPC : 0;
}

#define STRIKE(what, path, to, takes_space, half)                     \
    do {                                                              \
        int strike = strikes(what, path, to, takes_space);            \
        if (strike == CRASH) { half; kill(getpid(), SIGKILL); pause(); }  \
        if (strike) { errno = strike; return -1; }                    \
    } while (0)

static int open_mode(int flags, va_list args) {
    return flags & O_CREAT ? va_arg(args, int) : 0;
}

#define OPEN(name)                                                              \
    int name(const char *path, int flags, ...) {                               \
        va_list args;                                                           \
        va_start(args, flags);                                                  \
        int mode = open_mode(flags, args);                                      \
        va_end(args);                                                           \
        if (flags & O_CREAT && watched(path)) STRIKE("create", path, "", 1, );  \
        return REAL(name)(path, flags, mode);                                   \
    }
OPEN(open)
OPEN(open64)

ssize_t write(int fd, const void *bytes, size_t len) {
    char path[1024];
    if (fd > 2 && watched_fd(fd, path, sizeof path))
        STRIKE("write", path, "", 1, (void)!REAL(write)(fd, bytes, len / 2));
    return REAL(write)(fd, bytes, len);
}

int fsync(int fd) {
    char path[1024];
    if (watched_fd(fd, path, sizeof path)) STRIKE("sync", path, "", 1, );
    return REAL(fsync)(fd);
}

int rename(const char *from, const char *to) {
    if (watched(from)) STRIKE("rename", from, to, 1, );
    return REAL(rename)(from, to);
}

int mkdir(const char *path, mode_t mode) {
    if (watched(path)) STRIKE("mkdir", path, "", 1, );
    return REAL(mkdir)(path, mode);
}

int unlink(const char *path) {
    if (watched(path)) STRIKE("unlink", path, "", 0, );
    return REAL(unlink)(path);
}

int rmdir(const char *path) {
    if (watched(path)) STRIKE("rmdir", path, "", 0, );
    return REAL(rmdir)(path);
}

int unlinkat(int dir, const char *name, int flags) {
    char path[1024];
    if (watched_fd(dir, path, sizeof path)) STRIKE("unlinkat", path, name, 0, );
    return REAL(unlinkat)(dir, name, flags);
}
