/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Produces into a MessageQueue of Millrace, in a file that processes share. You may copy this file
 * and millrace.h into your program. It needs Linux. docs/QUEUE-FORMAT.md explains each step.
 *
 * Roles: one thread at a time may use a producer. A child of fork() must not use those of its
 * parent. It keeps its parent's place taken until it ends or calls exec().
 *
 * Failure: as in millrace.h. Only millrace_join waits, for at most a second.
 */
#ifndef MILLRACE_QUEUE_H
#define MILLRACE_QUEUE_H
#include "millrace.h"

#include <time.h>

typedef struct {
  millrace_file file;
  struct mr_entry *entry;
  uint64_t number, state, ticket;         /* of the entry; its state unless fenced; its owner */
  uint64_t cells, turn_shift, max_length; /* of the queue; of a message */
  uint64_t next, end, limit;              /* the open claim, if next < end; where claims must end */
  uint64_t length, type;                  /* of the claimed message */
  millrace_word *stamps, *head, *tail, *counts;
  bool many; /* producers */
} millrace_producer;

/* ---- the format; names that begin with mr are not part of the interface ---- */

struct mr_entry { millrace_word state, owner, intent, intent_end, occupant[12]; };
enum { MR_PRODUCER = 1, MR_ROLE = 0x7F, MR_JUDGED = 0x80, MR_EPOCH = 0x100 };    /* of a state */
enum { MR_FREE, MR_CLAIMED, MR_COMMITTED, MR_ABORTED, MR_ABANDONED, MR_LET_GO }; /* of a stamp */
enum { MR_CLOSED = 16, MR_GIVEN_BACK = 96, MR_SKIPPED = 112, MR_LATE = 128, MR_OUT_OF_USE = 160 };
#define MR_NONE UINT64_MAX         /* no intent, or no process */
#define MR_TOP ((uint64_t)1 << 63) /* of a tail: closed; of the end of an intent: claimed */
#define MR_LAYOUT                                                                                \
  "entries: stamp u64, header u64 of type, length and time flag; words of 128 bytes: -, tail of" \
  " many producers, head, -; cells of 16 bytes; words of 128 bytes: tail of one producer,"       \
  " closed, taken, lost, repeated, passed, aborted, skipped, refused, stalled, outOfUse, lossTotal"
#define mr_put(word, value) atomic_store_explicit(word, value, memory_order_relaxed)
#define mr_release(word, value) atomic_store_explicit(word, value, memory_order_release)
#define mr_stamp(p, sequence) ((p)->stamps + 2 * ((sequence) & ((p)->cells - 1)))
#define mr_turn(p, sequence) ((sequence) >> (p)->turn_shift << 19)
#define mr_count(stamp) ((stamp) >> 3 & 0xFFFF)
static inline bool mr_exchange(millrace_word *word, uint64_t from, uint64_t to) {
  return atomic_compare_exchange_strong(word, &from, to);
}

/* ---- a producer's place ---- */

/* When a process started, in ticks; MR_NONE if there is none, or it is exiting. */
static inline uint64_t mr_start(uint64_t pid) {
  char text[1024];
  uint64_t flags, start;
  snprintf(text, sizeof text, "/proc/" MR_U "/stat", pid);
  FILE *in = fopen(text, "re");
  text[in ? fread(text, 1, sizeof text - 1, in) : 0] = 0;
  if (in) fclose(in);
  char *end = strrchr(text, ')'); /* of its name */
  return end && sscanf(end + 1, "%*s%*s%*s%*s%*s%*s%" SCNu64 "%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s"
                       "%" SCNu64, &flags, &start) == 2 && !(flags & 4) ? start : MR_NONE;
}

/* Returns this process's ticket, and fills the words that say who it is. */
static inline uint64_t mr_find_self(uint64_t *self, const char *name) {
  char link[64] = "", boot[40] = "";
  FILE *in = fopen("/proc/sys/kernel/random/boot_id", "re");
  size_t digits = in ? fread(boot, 1, 36, in) : 0;
  if (in) fclose(in);
  for (size_t i = 0; i < digits; i++)
    if (boot[i] != '-')
      self[4 + i / 19] = self[4 + i / 19] << 4 | (uint64_t)((boot[i] & 15) + 9 * (boot[i] > '9'));
  self[0] = (uint64_t)getpid(), self[1] = (uint64_t)time(NULL) * 1000, self[2] = mr_start(self[0]);
  if (readlink("/proc/self/ns/pid", link, 63) > 0) sscanf(link, "pid:[%" SCNu64, self + 3);
  memcpy(self + 6, name, strnlen(name, 48));
  return self[0] << 32 | (self[2] & 0xFFFFFF) << 8 |
         (self[3] ^ self[4] ^ self[5]) * 0x9E3779B97F4A7C15u >> 56;
}

/* Whether an owner's process has ended. One of another boot or PID namespace counts as ended. */
static inline bool mr_has_ended(uint64_t ticket, uint64_t owner) {
  uint64_t start = owner == 0 || (owner ^ ticket) & 0xFF ? MR_NONE : mr_start(owner >> 32);
  return start == MR_NONE || (start & 0xFFFFFF) != (owner >> 8 & 0xFFFFFF);
}

/* Sets or probes a lock, F_OFD_SETLK or F_OFD_GETLK, which only closing this descriptor drops. */
static inline bool mr_lock(millrace_producer *p, uint64_t number, short type, bool sets) {
  struct flock lock = {.l_type = type, .l_start = ((off_t)1 << 40) + (off_t)number, .l_len = 1};
  return fcntl(p->file.fd, sets ? 37 : 36, &lock) == 0 && (sets || lock.l_type == F_UNLCK);
}

/* Finds where the only producer goes on, and takes back the claim that a dead one had open. */
static inline int mr_recover(millrace_producer *p, millrace_file *f) {
  uint64_t head = mr_peek(p->head), tail = mr_peek(p->tail), next = head;
  if (head > MR_MOST) MR_DAMAGE("head", head);
  if (tail < head || tail - head > 2 * p->cells) MR_DAMAGE("tail", tail);
  while (next < tail) {
    uint64_t stamp = mr_peek(mr_stamp(p, next)), count = mr_count(stamp), state = stamp & 7;
    bool ended = state == MR_COMMITTED || state == MR_ABORTED;
    if (stamp >> 19 << 19 != mr_turn(p, next) || !ended) break;
    if (count == 0 || count > tail - next) MR_DAMAGE("cells", count);
    next += count;
  }
  for (uint64_t s = next + 1; s < tail && s < next + p->cells; s++) /* of a run, behind its first */
    if ((int64_t)((mr_peek(mr_stamp(p, s)) >> 19 << 19) - mr_turn(p, s)) >= 0)
      mr_put(mr_stamp(p, s), (mr_turn(p, s) - (1 << 19)) | 1 << 3 | MR_FREE);
  mr_put(p->tail, next);
  p->next = p->end = next;
  return MILLRACE_OK;
}

/* Tries to take an entry; MILLRACE_FULL if its former owner still runs, or another takes it. */
static inline int mr_enter(millrace_producer *p, millrace_file *f, const uint64_t *self) {
  struct mr_entry *e = p->entry;
  uint64_t state = mr_acquire(&e->state), owner = mr_peek(&e->owner);
  if ((state & MR_ROLE) > MR_PRODUCER || (state & 0xFF) == MR_JUDGED) MR_DAMAGE("state", state);
  if ((state & 0xFF) == MR_PRODUCER) {
    if (!mr_lock(p, p->number, F_RDLCK, false)) return MILLRACE_OCCUPIED; /* others probe so, too */
    mr_exchange(&e->state, state, state | MR_JUDGED);
  }
  if (!mr_lock(p, p->number, F_WRLCK, true)) return MILLRACE_FULL;
  int code = MILLRACE_FULL;
  if (mr_has_ended(p->ticket, owner) && mr_exchange(&e->owner, owner, p->ticket)) {
    state = mr_acquire(&e->state);
    if (!(state & MR_ROLE) || (state & MR_JUDGED && !p->many))
      code = p->many ? MILLRACE_OK : mr_recover(p, f);
    if (code == MILLRACE_OK) {
      for (int i = 0; i < 12; i++) mr_put(e->occupant + i, self[i]);
      mr_put(&e->intent, MR_NONE);
      p->state = (state & ~(uint64_t)0xFF) + (state & MR_ROLE ? MR_EPOCH : 0) + MR_PRODUCER;
      mr_release(&e->state, p->state); /* release: the occupant, and what was recovered */
      return MILLRACE_OK;
    }
    mr_release(&e->owner, 0);
  }
  mr_lock(p, p->number, F_UNLCK, true);
  return code;
}

/*
 * Takes the place of a producer in a queue that a Java process has made. The kind is
 * "MessageQueue.spsc" or "MessageQueue.mpsc". The path must stay valid. The name is for people.
 */
static inline int millrace_join(millrace_producer *p, const char *path, const char *kind,
                                const char *name) {
  struct mr_header h;
  uint64_t self[12] = {0};
  millrace_file *f = &p->file;
  memset(p, 0, sizeof *p);
  int code = mr_open(f, path, kind, true, &h);
  if (code != MILLRACE_OK) return code;
  uint64_t capacity = h.settings[0].value, most = (uint64_t)1 << 34;
  if (strncmp(h.settings[0].name, "capacity", 24) || capacity < 512 || capacity > most ||
      (capacity & (capacity - 1)) || h.data_bytes != 2 * capacity + 16 * 128 || h.words_bytes ||
      h.reserved < 2 || strncmp(h.layout, MR_LAYOUT, sizeof h.layout))
    MR_REFUSE("another layout: %.400s, expected " MR_LAYOUT, f->path, h.layout);
  p->ticket = mr_find_self(self, name);
  if (self[2] == MR_NONE) MR_REFUSE("a producer needs /proc", f->path);
  if (!mr_lock(p, MR_NONE, F_RDLCK, true)) /* keeps others from removing the file */
    MR_REFUSE("being removed, or the file system refuses a lock: %s", f->path, strerror(errno));
  p->many = !strcmp(kind, "MessageQueue.mpsc");
  p->cells = capacity / 16;
  p->max_length = 16 * (p->cells / 2 < 65535 ? p->cells / 2 : 65535);
  while (p->cells >> p->turn_shift > 1) p->turn_shift++;
  p->stamps = (millrace_word *)(void *)(f->base + h.data_offset);
  p->head = p->stamps + 2 * p->cells + 32;
  p->counts = p->stamps + 4 * p->cells + 64;
  p->tail = p->many ? p->head - 16 : p->counts;
  code = MILLRACE_FULL;
  uint64_t tries = p->many ? h.participants - h.reserved : 1000;
  for (uint64_t i = 0; code == MILLRACE_FULL && i < tries; i++) {
    if (i && !p->many) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    p->number = p->many ? h.reserved + i : 0;
    p->entry = (struct mr_entry *)(void *)(f->base + 4096) + p->number;
    if (!p->many || !(mr_peek(&p->entry->state) & MR_ROLE)) code = mr_enter(p, f, self);
  }
  const char *how = code == MILLRACE_FULL ? ", dead, but still running or not recovered" : "";
  if (code == MILLRACE_DAMAGED) mr_close(f);
  if (code == MILLRACE_OK || code == MILLRACE_DAMAGED) return code;
  if (p->many) return mr_fail(f, MILLRACE_OCCUPIED, "no room for another participant: %s", path);
  return mr_fail(f, MILLRACE_OCCUPIED, "there is a producer already: pid=" MR_U "%s, %s",
                 mr_peek(p->entry->occupant), how, path);
}

/* ---- claims ---- */

/* Returns MILLRACE_OK if the cells before `end` are free. The tail is at `first`. */
static inline int mr_admit(millrace_producer *p, millrace_file *f, uint64_t first, uint64_t end) {
  if (end <= p->limit) return MILLRACE_OK;
  uint64_t head = mr_acquire(p->head); /* acquire: what the consumer did with the cells before it */
  uint64_t tail = p->many ? mr_acquire(p->tail) & ~MR_TOP : first;
  if (tail > MR_MOST || head > tail) MR_DAMAGE("head", head);
  p->limit = head + p->cells;
  return end <= p->limit ? MILLRACE_OK : MILLRACE_FULL;
}

/* Ends a claim as COMMITTED or ABORTED; by an exchange if the consumer may give it up. */
static inline int mr_end(millrace_producer *p, millrace_file *f, uint64_t first, uint64_t count,
                         uint64_t state) {
  millrace_word *stamp = mr_stamp(p, first);
  uint64_t seen = mr_peek(stamp), ended = mr_turn(p, first) | count << 3 | state;
  bool in_time = !p->many || ((seen & 7) == MR_CLAIMED && mr_exchange(stamp, seen, ended));
  if (!p->many) mr_release(stamp, ended); /* release: header and bytes, and the tail */
  if (in_time && state == MR_ABORTED) atomic_fetch_add(p->counts + MR_GIVEN_BACK, count);
  if (!in_time) {
    for (seen = mr_peek(stamp); (seen & 7) == MR_ABANDONED; seen = mr_peek(stamp))
      mr_exchange(stamp, seen, seen - MR_ABANDONED + MR_LET_GO);
    atomic_fetch_add(p->counts + MR_LATE, count);
  }
  mr_release(&p->entry->intent, MR_NONE); /* release: how the claim ended */
  if (!in_time)
    return mr_fail(f, MILLRACE_GIVEN_UP, "claim was given up, because it was open for longer than"
                   " the stall limit, or another process took this one for dead: %s", f->path);
  return MILLRACE_OK;
}

static inline int mr_claim_alone(millrace_producer *p, millrace_file *f, uint64_t cells) {
  uint64_t rest = p->cells - (p->next & (p->cells - 1)); /* up to the end of the memory */
  uint64_t left = rest < cells ? rest : 0, end = p->next + left + cells;
  if (mr_acquire(p->counts + MR_CLOSED)) return MILLRACE_COMPLETED;
  mr_put(p->tail, end); /* so that the claim is found if this process dies */
  int code = mr_admit(p, f, p->next, end);
  if (code != MILLRACE_OK) mr_put(p->tail, p->next);
  if (code == MILLRACE_OK && left) mr_end(p, f, p->next, left, MR_ABORTED);
  if (code == MILLRACE_OK) p->next += left, p->end = end;
  return code;
}

/* Announces a claim that is about to be made; returns false if this producer is fenced. */
static inline bool mr_declare(millrace_producer *p, uint64_t first, uint64_t end) {
  mr_put(&p->entry->intent, MR_NONE);
  mr_release(&p->entry->intent_end, end);
  mr_release(&p->entry->intent, first);
  atomic_thread_fence(memory_order_seq_cst); /* the intent before the state is read */
  return mr_peek(&p->entry->state) == p->state;
}

/* Aborts cells of a claim that was not marked; returns how many, without those given up before. */
static inline uint64_t mr_relinquish(millrace_producer *p, uint64_t first, uint64_t end) {
  uint64_t count = 0;
  for (; first < end; first++) {
    uint64_t seen = mr_peek(mr_stamp(p, first)), turn = mr_turn(p, first);
    if ((int64_t)((seen >> 19 << 19) - turn) < 0 || (seen >> 19 << 19 == turn && !(seen & 7)))
      count += mr_exchange(mr_stamp(p, first), seen, turn | 1 << 3 | MR_ABORTED);
  }
  return count;
}

static inline int mr_claim_among_many(millrace_producer *p, millrace_file *f, uint64_t cells) {
  for (uint64_t begin = mr_acquire(p->tail);;) {
    uint64_t first = mr_acquire(p->tail), hole = first, end = first + cells;
    if (first & MR_TOP) return MILLRACE_COMPLETED;
    if (first - begin > 2 * p->cells) return MILLRACE_FULL; /* so that this ends */
    int code = mr_admit(p, f, first, end);
    uint64_t seen = mr_peek(mr_stamp(p, first)); /* the mark is an exchange of this */
    bool any = mr_peek(p->counts + MR_OUT_OF_USE) != 0;
    while (hole < end && !(any && (mr_peek(mr_stamp(p, hole)) & 7) >= MR_ABANDONED)) hole++;
    if (code == MILLRACE_OK && hole < end) { /* cells are out of use: the tail must pass them */
      uint64_t count = mr_count(mr_peek(mr_stamp(p, hole)));
      end = hole + (count ? count : 1);
      code = mr_admit(p, f, first, end);
    }
    if (code != MILLRACE_OK) return code;
    if (!mr_declare(p, first, hole)) return MILLRACE_FENCED;
    if (!mr_exchange(p->tail, first, end)) continue; /* another producer was faster */
    if (hole < end) {
      atomic_fetch_add(p->counts + MR_SKIPPED, end - hole + mr_relinquish(p, first, hole));
      continue;
    }
    mr_put(&p->entry->intent_end, end | MR_TOP); /* the claim was made */
    if (!mr_exchange(mr_stamp(p, first), seen, mr_turn(p, first) | cells << 3 | MR_CLAIMED)) {
      atomic_fetch_add(p->counts + MR_GIVEN_BACK, mr_relinquish(p, first + 1, end));
    } else if ((first & (p->cells - 1)) + cells > p->cells) {
      mr_end(p, f, first, cells, MR_ABORTED); /* it would wrap past the end of the memory */
    } else {
      p->next = first, p->end = end;
      return MILLRACE_OK;
    }
  }
}

static inline int mr_check_call(millrace_producer *p, millrace_file *f, bool ends, size_t length) {
  uint64_t most = ends ? p->length : p->max_length;
  if (!f->base) return mr_fail(f, MILLRACE_MISUSE, "not joined: %s", f->path);
  if (ends && p->next == p->end) return mr_fail(f, MILLRACE_MISUSE, "no open claim: %s", f->path);
  if (!ends && p->next != p->end)
    return mr_fail(f, MILLRACE_MISUSE, "a claim is already open, commit or abort it first: %s",
                   f->path);
  if (length > most)
    return mr_fail(f, MILLRACE_MISUSE, "length must be in 0.." MR_U ": length=" MR_U, most, length);
  if (!ends && mr_peek(&p->entry->state) != p->state) return MILLRACE_FENCED;
  return MILLRACE_OK;
}

/* Claims room for a message. Write it to `bytes`, and then commit or abort. */
static inline int millrace_claim(millrace_producer *p, uint32_t type, size_t length, void **bytes) {
  millrace_file *f = &p->file;
  uint64_t cells = length ? (length + 15) / 16 : 1;
  int code = mr_check_call(p, f, false, length);
  *bytes = NULL;
  if (code == MILLRACE_MISUSE) return code;
  if (code == MILLRACE_OK)
    code = p->many ? mr_claim_among_many(p, f, cells) : mr_claim_alone(p, f, cells);
  if (code != MILLRACE_OK) mr_release(&p->entry->intent, MR_NONE);
  if (code == MILLRACE_FENCED)
    mr_fail(f, code, "taken for dead by another process, since its lock was lost: participant " MR_U
            ", %s", p->number, f->path);
  if (code != MILLRACE_OK) return code;
  p->type = type, p->length = length;
  *bytes = (char *)(p->head + 32) + 16 * (p->next & (p->cells - 1));
  return MILLRACE_OK;
}

static inline int mr_end_call(millrace_producer *p, size_t length, uint64_t state) {
  uint64_t first = p->next;
  int code = mr_check_call(p, &p->file, true, length);
  if (code != MILLRACE_OK) return code;
  if (state == MR_COMMITTED) mr_put(mr_stamp(p, first) + 1, (uint64_t)length << 32 | p->type);
  p->next = p->end;
  return mr_end(p, &p->file, first, p->end - first, state);
}

/* Publishes the claimed message. The length is that of the claim, or less. */
static inline int millrace_commit(millrace_producer *p, size_t length) {
  return mr_end_call(p, length, MR_COMMITTED);
}

/* Gives the claim back, so that the consumer sees nothing of it. */
static inline int millrace_abort(millrace_producer *p) { return mr_end_call(p, 0, MR_ABORTED); }

/* Completes the queue: nobody can claim any more, and the consumer ends behind the last message. */
static inline void millrace_complete(millrace_producer *p) {
  if (p->many) atomic_fetch_or(p->tail, MR_TOP);
  if (!p->many) mr_release(p->counts + MR_CLOSED, 1); /* release: the tail of the last claim */
}

/* Aborts an open claim, gives up the place, and closes the file. */
static inline void millrace_leave(millrace_producer *p) {
  if (!p->file.base) return;
  if (p->next != p->end) millrace_abort(p);
  uint64_t freed = p->state - MR_PRODUCER + MR_EPOCH;
  if (mr_exchange(&p->entry->state, p->state, freed) ||
      mr_exchange(&p->entry->state, p->state | MR_JUDGED, freed))
    mr_exchange(&p->entry->owner, p->ticket, 0);
  mr_close(&p->file); /* which drops its locks */
}
#endif
