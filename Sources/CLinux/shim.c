#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

static int catcher = -1;
static volatile sig_atomic_t caught;
static sigset_t catchable;

/* Only calls that a handler may make. */
static void catch_signal(int number)
{
    int before = errno;
    uint64_t one = 1;
    if (caught == 0) caught = number;
    /* Whatever comes next kills. */
    for (int other = 1; other < 32; other++)
        if (sigismember(&catchable, other) == 1) signal(other, SIG_DFL);
    /* It cannot be full: the count of an eventfd takes far more than the few signals there are. */
    ssize_t written = write(catcher, &one, sizeof one);
    (void)written;
    errno = before;
}

int clinux_catch_signals(const int *signals, int count)
{
    if (catcher >= 0) return catcher;
    catcher = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (catcher < 0) return -1;
    sigemptyset(&catchable);
    for (int i = 0; i < count; i++) {
        struct sigaction now;
        /* Catching would bring back to life what nohup or a shell's background job ignores. */
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&catchable, signals[i]);
    }
    struct sigaction action = {.sa_handler = catch_signal, .sa_flags = SA_RESTART, .sa_mask = catchable};
    for (int i = 0; i < count; i++)
        if (sigismember(&catchable, signals[i]) == 1) sigaction(signals[i], &action, NULL);
    return catcher;
}

int clinux_caught_signal(void) { return caught; }

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


int clinux_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC); }

int clinux_plain_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int clinux_route_socket(uint32_t groups)
{
    int type = SOCK_RAW | SOCK_CLOEXEC | (groups != 0 ? SOCK_NONBLOCK : 0);
    int descriptor = socket(AF_NETLINK, type, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
    struct timeval limit = {.tv_sec = 1};
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0
        && (groups != 0 || setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0))
        return descriptor;
    int code = errno;
    close(descriptor);
    errno = code;
    return -1;
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

int clinux_spawn(const char *path, char *const arguments[], char *const environment[], int folder,
                 const int streams[3], pid_t *child, int *watch)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    sigemptyset(&none);
    sigfillset(&all);
    for (int stream = 0; stream < 3 && !error; stream++)
        error = posix_spawn_file_actions_adddup2(&actions, streams[stream], stream);
    if (!error) error = posix_spawn_file_actions_addfchdir_np(&actions, folder);
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(&attributes, &all);
    if (!error) error = posix_spawnattr_setpgroup(&attributes, 0);
    if (!error)
        error = posix_spawnattr_setflags(&attributes,
                                         POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (!error) error = posix_spawn(child, path, &actions, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error) return error;
    *watch = (int)syscall(SYS_pidfd_open, *child, 0);
    if (*watch >= 0) return 0;
    error = errno;
    kill(*child, SIGKILL);
    waitpid(*child, NULL, 0);
    return error;
}

int clinux_reap(pid_t child)
{
    int status, result;
    siginfo_t ended = {.si_pid = 0};
    do
        result = waitid(P_PID, child, &ended, WEXITED | WNOHANG | WNOWAIT);
    while (result < 0 && errno == EINTR);
    if (result < 0) return -1;
    if (ended.si_pid != child) {
        errno = EAGAIN;
        return -1;
    }
    /* While it is not reaped, the number of its group belongs to nobody else. */
    kill(-child, SIGKILL);
    do
        result = waitpid(child, &status, 0);
    while (result < 0 && errno == EINTR);
    if (result != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
