/* Between a program and its disk (LD_PRELOAD): writes down every change below a folder, or lets one of them fail.
 *
 * Built and loaded by spy.py. A process says what it wants with disk_record or disk_fail; until then every call goes
 * through untouched. A record is one line, "what TAB path TAB other path TAB offset TAB length", and the bytes; a new
 * file has its inode in the place of an offset.
 * A sync is written down and not done: what it would have kept is worked out from the record.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define PATH 4352
#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

enum kind { NEVER, NO_SPACE, BROKEN, SHORT, UNSYNCED, NOTHING };

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static char below[PATH];
static int record_fd = -1;
static long fail_at = 0, counted = 0;
static enum kind failing = NEVER;
static int for_good = 0;

/* What a process asks for. */

void disk_record(const char *folder, const char *file) {
    snprintf(below, sizeof below, "%s/", folder);
    record_fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

void disk_fail(const char *folder, long number, int kind, int lasting) {
    snprintf(below, sizeof below, "%s/", folder);
    fail_at = number;
    failing = (enum kind)kind;
    for_good = lasting;
    counted = 0;
}

long disk_count(void) { return counted; }

static void note(const char *what, const char *path, const char *other, int64_t offset, const void *data, size_t size);

void disk_promise(const char *word) { note("promise", word, "", 0, 0, 0); }

/* Where a call goes to. */

static int inside(const char *path) { return below[0] && strncmp(path, below, strlen(below)) == 0; }

static int named_by(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = below[0] ? readlink(link, path, PATH - 1) : -1;
    if (size < 0) return 0;
    path[size] = 0;
    return fd != record_fd && inside(path);
}

static int whole(int folder, const char *name, char *path) {
    char start[PATH / 2] = "";
    if (!below[0]) return 0;
    if (name[0] == '/') {
        snprintf(path, PATH, "%s", name);
        return inside(path);
    }
    if (folder == AT_FDCWD) {
        if (!getcwd(start, sizeof start)) return 0;
    } else {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t size = readlink(link, start, sizeof start - 1);
        if (size < 0) return 0;
        start[size] = 0;
    }
    snprintf(path, PATH, "%s/%s", start, name);
    return inside(path);
}

/* What is written down, and what fails. */

static void put(const void *bytes, size_t left) {
    REAL(write);
    const char *at = bytes;
    while (left) {
        ssize_t size = real(record_fd, at, left);
        if (size <= 0) abort();
        at += size;
        left -= (size_t)size;
    }
}

static void note(const char *what, const char *path, const char *other, int64_t offset, const void *data, size_t size) {
    if (record_fd < 0) return;
    char line[2 * PATH + 96];
    int length = snprintf(line, sizeof line, "%s\t%s\t%s\t%lld\t%zu\n", what, path, other, (long long)offset, size);
    put(line, (size_t)length);
    if (size) put(data, size);
}

static int fails(int sync, int write) {
    if (failing == NEVER || (failing == UNSYNCED) != sync || ((failing == SHORT || failing == NOTHING) && !write)) return 0;
    counted++;
    if (!fail_at || !(for_good ? counted >= fail_at : counted == fail_at)) return 0;
    errno = failing == NO_SPACE ? ENOSPC : EIO;
    return 1;
}

/* Changes of what a file holds. Half a write is at least a byte: a disk that takes nothing is another kind. */

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
    REAL(pwrite64);
    char path[PATH];
    if (!named_by(fd, path)) return real(fd, data, size, offset);
    pthread_mutex_lock(&turn);
    ssize_t done = -1;
    if (!fails(0, 1)) done = real(fd, data, size, offset);
    else if (failing == SHORT) done = real(fd, data, (size + 1) / 2, offset);
    else if (failing == NOTHING) done = 0;
    int problem = errno;
    if (done > 0) note("write", path, "", offset, data, (size_t)done);
    pthread_mutex_unlock(&turn);
    errno = problem;
    return done;
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) { return pwrite64(fd, data, size, offset); }

ssize_t write(int fd, const void *data, size_t size) {
    REAL(write);
    char path[PATH];
    if (!named_by(fd, path)) return real(fd, data, size);
    pthread_mutex_lock(&turn);
    struct stat facts;
    int appends = fcntl(fd, F_GETFL) & O_APPEND;
    off_t offset = appends && fstat(fd, &facts) == 0 ? facts.st_size : lseek(fd, 0, SEEK_CUR);
    ssize_t done = -1;
    if (!fails(0, 1)) done = real(fd, data, size);
    else if (failing == SHORT) done = real(fd, data, (size + 1) / 2);
    else if (failing == NOTHING) done = 0;
    int problem = errno;
    if (done > 0) note("write", path, "", offset, data, (size_t)done);
    pthread_mutex_unlock(&turn);
    errno = problem;
    return done;
}

int ftruncate64(int fd, off64_t size) {
    REAL(ftruncate64);
    char path[PATH];
    if (!named_by(fd, path)) return real(fd, size);
    if (fails(0, 0)) return -1;
    int done = real(fd, size);
    if (!done) note("cut", path, "", size, 0, 0);
    return done;
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

static int synced(int fd) {
    char path[PATH] = "";
    if (!named_by(fd, path)) {
        size_t length = strlen(path);
        if (!below[0] || strncmp(path, below, length) || below[length] != '/') return fd;
    }
    if (fails(1, 0)) return -1;
    note("sync", path, "", 0, 0, 0);
    return -2;
}
int fsync(int fd) {
    REAL(fsync);
    int found = synced(fd);
    return found >= 0 ? real(fd) : found == -1 ? -1 : 0;
}
int fdatasync(int fd) {
    REAL(fdatasync);
    int found = synced(fd);
    return found >= 0 ? real(fd) : found == -1 ? -1 : 0;
}

/* Copies within the kernel would pass by: whoever tries falls back to reading and writing. */

ssize_t sendfile64(int out, int in, off64_t *offset, size_t size) {
    (void)out; (void)in; (void)offset; (void)size;
    errno = EINVAL;
    return -1;
}
ssize_t sendfile(int out, int in, off_t *offset, size_t size) { return sendfile64(out, in, offset, size); }

/* Changes of names. */

static int opened(int fd, const char *path, int flags, int existed) {
    struct stat facts;
    if (fd >= 0 && (flags & O_CREAT) && !existed)
        note("make", path, "", fstat(fd, &facts) ? 0 : (int64_t)facts.st_ino, 0, 0);
    else if (fd >= 0 && (flags & O_TRUNC)) note("cut", path, "", 0, 0, 0);
    return fd;
}

int openat64(int folder, const char *name, int flags, ...) {
    REAL(openat64);
    va_list rest;
    va_start(rest, flags);
    int mode = flags & O_CREAT ? va_arg(rest, int) : 0;
    va_end(rest);
    char path[PATH];
    if (!whole(folder, name, path)) return real(folder, name, flags, mode);
    pthread_mutex_lock(&turn);
    int existed = access(path, F_OK) == 0;
    int fd = (flags & O_CREAT) && !existed && fails(0, 0) ? -1 : real(folder, name, flags, mode);
    int problem = errno;
    opened(fd, path, flags, existed);
    pthread_mutex_unlock(&turn);
    errno = problem;
    return fd;
}
#define MODE(flags) va_list rest; va_start(rest, flags); int mode = flags & O_CREAT ? va_arg(rest, int) : 0; va_end(rest)
int openat(int folder, const char *name, int flags, ...) { MODE(flags); return openat64(folder, name, flags, mode); }
int open64(const char *name, int flags, ...) { MODE(flags); return openat64(AT_FDCWD, name, flags, mode); }
int open(const char *name, int flags, ...) { MODE(flags); return openat64(AT_FDCWD, name, flags, mode); }

int rename(const char *from, const char *to) {
    REAL(rename);
    char path[PATH], other[PATH];
    int ours = whole(AT_FDCWD, from, path) && whole(AT_FDCWD, to, other);
    if (ours && fails(0, 0)) return -1;
    int done = real(from, to);
    if (ours && !done) note("rename", path, other, 0, 0, 0);
    return done;
}

int link(const char *from, const char *to) {
    REAL(link);
    char path[PATH], other[PATH];
    int ours = whole(AT_FDCWD, from, path) && whole(AT_FDCWD, to, other);
    if (ours && fails(0, 0)) return -1;
    int done = real(from, to);
    if (ours && !done) note("link", path, other, 0, 0, 0);
    return done;
}

int unlink(const char *name) {
    REAL(unlink);
    char path[PATH];
    int ours = whole(AT_FDCWD, name, path);
    int done = real(name);
    int problem = errno;
    if (ours && !done) note("remove", path, "", 0, 0, 0);
    errno = problem;
    return done;
}

int mkdir(const char *name, mode_t mode) {
    REAL(mkdir);
    char path[PATH];
    int ours = whole(AT_FDCWD, name, path);
    if (ours && access(path, F_OK) && fails(0, 0)) return -1;
    int done = real(name, mode);
    int problem = errno;
    if (ours && !done) note("folder", path, "", 0, 0, 0);
    errno = problem;
    return done;
}
