#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int clinux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t data)
{
    struct epoll_event event = {.events = events, .data.u64 = data};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int clinux_epoll_remove(int epoll, int descriptor) { return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL); }

int clinux_epoll_wait(int epoll, struct epoll_event *events, int capacity, int64_t nanoseconds)
{
    struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    static int lacks_pwait2;
    if (!__atomic_load_n(&lacks_pwait2, __ATOMIC_RELAXED)) {
        int count = epoll_pwait2(epoll, events, capacity, nanoseconds < 0 ? NULL : &limit, NULL);
        if (count >= 0 || errno != ENOSYS) return count;
        __atomic_store_n(&lacks_pwait2, 1, __ATOMIC_RELAXED);
    }
    /* Kernels before 5.11: whole milliseconds, rounded up so that a deadline is not met early. */
    int64_t milliseconds = nanoseconds < 0 ? -1 : (nanoseconds + 999999) / 1000000;
    return epoll_wait(epoll, events, capacity, milliseconds > 3600000 ? 3600000 : (int)milliseconds);
}

int clinux_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int clinux_signalfd(const int *signals, int count)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++) {
        struct sigaction now;
        /* Blocking would bring back to life what nohup or a shell's background job ignores. */
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&set, signals[i]);
    }
    if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0) return -1;
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

ssize_t clinux_splice(int from, int to, int64_t *to_offset, size_t count)
{
    return splice(from, NULL, to, (off64_t *)to_offset, count, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
}

int clinux_pipe(int ends[2], int capacity, int *actual)
{
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
    int got = fcntl(ends[1], F_SETPIPE_SZ, capacity);
    if (got < 0) got = fcntl(ends[1], F_GETPIPE_SZ);
    *actual = got;
    return 0;
}

int clinux_openat(int folder, const char *path, int flags, unsigned mode)
{
    return openat(folder, path, flags | O_CLOEXEC, mode);
}

int clinux_rename_noreplace(int from_folder, const char *from, int to_folder, const char *to)
{
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, RENAME_NOREPLACE);
}


int clinux_unread_octets(int descriptor, int *count) { return ioctl(descriptor, FIONREAD, count); }

int clinux_columns(int descriptor)
{
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return -1;
    return size.ws_col;
}

int clinux_block_sigpipe(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    return pthread_sigmask(SIG_BLOCK, &set, NULL);
}
