/* What Glibc's Swift module lacks: epoll, eventfd, splice and a few calls that Swift cannot import
 * because they are variadic or need _GNU_SOURCE. Each is a thin wrapper that returns what the call returns. */
#ifndef CLINUX_H
#define CLINUX_H

#include <stdint.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>


int clinux_epoll_create(void);
int clinux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t data);
int clinux_epoll_remove(int epoll, int descriptor);
/* Waits at most `nanoseconds` (negative: for ever, 0: not at all). */
int clinux_epoll_wait(int epoll, struct epoll_event *events, int capacity, int64_t nanoseconds);
int clinux_eventfd(void);
/* From now on the first of `signals` makes the descriptor returned readable, for good; the next one does what it does
 * without this call. Signals that are ignored stay so. -1 and errno when there is no descriptor left. */
int clinux_catch_signals(const int *signals, int count);
/* The signal that came; 0 when none did. */
int clinux_caught_signal(void);

/* Moves octets from a socket into a pipe or from a pipe to a file without copying them through the process. */
ssize_t clinux_splice(int from, int to, int64_t *to_offset, size_t count);
/* A pipe of `capacity` octets, both ends non-blocking and closed on exec; -1 and errno when it cannot be had.
 * `*actual` is the capacity got. */
int clinux_pipe(int ends[2], int capacity, int *actual);

int clinux_openat(int folder, const char *path, int flags, unsigned mode);
int clinux_rename_noreplace(int from_folder, const char *from, int to_folder, const char *to);

/* Starts the program at `path` in `folder`, in a process group of its own, with these three streams and no other
 * descriptor; no signal is blocked or ignored in it. Returns an error number. `*watch` becomes readable when it has ended. */
int clinux_spawn(const char *path, char *const arguments[], char *const environment[], int folder,
                 const int streams[3], pid_t *child, int *watch);
/* Reaps a child that has ended, and kills what it has started and left: its exit code, or 128 and the signal; -1 and errno when it still runs. */
int clinux_reap(pid_t child);
/* Takes a connection, its descriptor closed on exec from the beginning; -1 and errno when there is none. */
int clinux_accept(int listener);
/* A pipe whose ends are closed on exec from the beginning. */
int clinux_plain_pipe(int ends[2]);

/* A netlink socket for routes (NETLINK_ROUTE), closed on exec, that hears of the multicast groups in the bit mask `groups`.
 * One that hears of none is for questions: it blocks, for a second at most. The others never block. */
int clinux_route_socket(uint32_t groups);

int clinux_unread_octets(int descriptor, int *count);
int clinux_columns(int descriptor);
int clinux_block_sigpipe(void);

#endif
