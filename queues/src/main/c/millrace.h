/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes part in rings of Millrace, in files that processes share: as a producer of a queue that
 * MessageQueue.mpsc made, and as a reader of a HistoryRing. You may copy this file into your
 * program. It needs C11 with atomics and 64-bit Linux. Include it first, or define _POSIX_C_SOURCE
 * as 200809L. docs/QUEUE-FORMAT.md explains the format and each step.
 *
 * Roles: one thread at a time may use a producer or a reader. A child of fork() must not use those
 * of its parent. It keeps its parent's places taken until it ends or calls exec().
 *
 * Failure: no function waits. Each returns a code. After one below MILLRACE_COMPLETED, file.error
 * says what is wrong, and of which value: file.found. Nothing in a file is trusted, and no memory
 * outside it is accessed. But an access raises SIGBUS if another process truncates the file.
 */
#ifndef MILLRACE_H
#define MILLRACE_H
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == 8 && sizeof(size_t) == 8 && ATOMIC_LLONG_LOCK_FREE == 2, "64 bits");

enum {
  MILLRACE_OK = 0,
  MILLRACE_FULL = -1,
  MILLRACE_EMPTY = -2,     /* there is no next record yet */
  MILLRACE_COMPLETED = -3, /* the queue takes no more messages */
  MILLRACE_GIVEN_UP = -4,  /* the claim was given up, so its message is lost */
  MILLRACE_FENCED = -5,    /* another process took this producer for dead: leave and join again */
  MILLRACE_OCCUPIED = -6,  /* there is no place for another producer */
  MILLRACE_NO_FILE = -7,   /* wait until a Java process has made it */
  MILLRACE_REFUSED = -8,   /* the file cannot be used */
  MILLRACE_DAMAGED = -9,   /* the memory is damaged */
  MILLRACE_MISUSE = -10    /* argument out of range, no open claim, or one is already open */
};

typedef _Atomic uint64_t millrace_word;

typedef struct {
  const char *error;
  uint64_t found;
  unsigned char *base; /* NULL unless it is open */
  uint64_t bytes;
  int fd;
} millrace_file;

typedef struct {
  millrace_file file;
  millrace_word *claimed, *slots;
  uint64_t capacity, record_bytes, stride; /* the stride in words */
  uint64_t position;                       /* sequence of the next record */
  uint64_t lost, refused;                  /* how many records were passed for these reasons */
} millrace_reader;

typedef struct {
  millrace_file file;
  struct mr_entry *entry;
  uint64_t state, owner;                  /* of the entry, unless it is fenced */
  uint64_t cells, turn_shift, max_length; /* of the queue; of a message */
  uint64_t next, end, limit;              /* the open claim, if next < end; where claims must end */
  uint64_t length, type;                  /* of the claimed message */
  millrace_word *stamps, *tail, *head, *counts;
} millrace_producer;

/* ---- the format; names that begin with mr are not part of the interface ---- */

struct mr_header {
  uint64_t magic;
  uint32_t byte_order, version;
  char kind[24];
  uint64_t file_bytes;
  uint32_t participants, reserved;
  uint64_t words_offset, words_bytes, data_offset, data_bytes, created, creator;
  uint32_t unused, setting_count, reserve[4];
  struct { char name[24]; uint64_t value; } settings[16];
  char layout[3452];
  uint32_t checksum;
};
struct mr_entry { millrace_word state, owner, intent, intent_end, occupant[12]; };

enum { MR_PRODUCER = 1, MR_JUDGED = 0x80, MR_EPOCH = 0x100 };                      /* of a state */
enum { MR_CLAIMED = 1, MR_COMMITTED, MR_ABORTED, MR_ABANDONED, MR_LET_GO };        /* of a stamp */
enum { MR_GIVEN_BACK = 96, MR_SKIPPED = 112, MR_LATE = 128, MR_OUT_OF_USE = 160 }; /* counts */
#define MR_NONE UINT64_MAX          /* no intent */
#define MR_TOP ((uint64_t)1 << 63)  /* of a tail: completed; of the end of an intent: claimed */
#define MR_MOST ((uint64_t)1 << 61) /* more than any sequence */
#define MR_LOCKS ((off_t)1 << 40)   /* the byte of the first entry */
#define MR_LAYOUT                                                                                \
  "entries: stamp u64, header u64 of type, length and time flag; words of 128 bytes: -, tail of" \
  " many producers, head, -; cells of 16 bytes; words of 128 bytes: tail of one producer,"       \
  " closed, taken, lost, repeated, passed, aborted, skipped, refused, stalled, outOfUse, lossTotal"

#define mr_peek(word) atomic_load_explicit(word, memory_order_relaxed)
#define mr_acquire(word) atomic_load_explicit(word, memory_order_acquire)
#define mr_put(word, value) atomic_store_explicit(word, value, memory_order_relaxed)
#define mr_release(word, value) atomic_store_explicit(word, value, memory_order_release)
#define mr_stamp(p, sequence) ((p)->stamps + 2 * ((sequence) & ((p)->cells - 1)))
#define mr_turn(p, sequence) ((sequence) >> (p)->turn_shift << 19)
static inline bool mr_exchange(millrace_word *word, uint64_t from, uint64_t to) {
  return atomic_compare_exchange_strong(word, &from, to);
}

/* ---- opening ---- */

static inline void mr_close(millrace_file *f) {
  if (f->base) munmap(f->base, f->bytes);
  if (f->fd >= 0) close(f->fd);
  f->base = NULL;
  f->fd = -1;
}

/* Notes what is wrong, and closes a file that was not opened in the end. Returns the code. */
static inline int mr_fail(millrace_file *f, int code, const char *error, uint64_t found) {
  f->error = error;
  f->found = found;
  if (code <= MILLRACE_OCCUPIED && code >= MILLRACE_REFUSED) mr_close(f);
  return code;
}
#define mr_refuse(f, error, found) mr_fail(f, MILLRACE_REFUSED, error, found)

/* Maps a file, and copies and checks its header. `kind` may be the beginning of the kind. */
static inline int mr_open(millrace_file *f, const char *path, const char *kind, bool writes,
                          struct mr_header *h) {
  struct stat found;
  f->fd = open(path, (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
  if (f->fd < 0 && errno == ENOENT) return mr_fail(f, MILLRACE_NO_FILE, "no file: errno", ENOENT);
  if (f->fd < 0) return mr_refuse(f, "cannot be opened: errno", (uint64_t)errno);
  if (fstat(f->fd, &found) || !S_ISREG(found.st_mode))
    return mr_refuse(f, "not a regular file: mode", found.st_mode);
  f->bytes = (uint64_t)found.st_size;
  if (f->bytes < sizeof *h) return mr_refuse(f, "too short for a ring: bytes", f->bytes);
  void *base = mmap(NULL, f->bytes, PROT_READ | (writes ? PROT_WRITE : 0), MAP_SHARED, f->fd, 0);
  if (base == MAP_FAILED) return mr_refuse(f, "cannot be mapped: errno", (uint64_t)errno);
  f->base = base;
  memcpy(h, base, sizeof *h); /* a copy, because another process may change the original */
  uint32_t crc = ~0u; /* CRC-32C */
  for (size_t at = 8; at < sizeof *h - 4; at++) {
    crc ^= ((const uint8_t *)h)[at];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0x82F63B78 & -(crc & 1));
  }
  if (memcmp(&h->magic, "MILLRING", 8)) return mr_refuse(f, "not a whole ring: magic", h->magic);
  if (h->version != 1) return mr_refuse(f, "unknown version or byte order: version", h->version);
  if (h->checksum != ~crc) return mr_refuse(f, "header is damaged: checksum", h->checksum);
  if (strncmp(h->kind, kind, strlen(kind))) return mr_refuse(f, "another kind: bytes", f->bytes);
  if (f->bytes < h->file_bytes) return mr_refuse(f, "cut short: bytes", f->bytes);
  if (h->data_offset < sizeof *h + h->participants * sizeof(struct mr_entry) ||
      h->data_offset % 128 || h->data_offset > f->bytes ||
      h->data_bytes > f->bytes - h->data_offset)
    return mr_refuse(f, "another layout: dataOffset", h->data_offset);
  return MILLRACE_OK;
}

/* ---- a reader of a HistoryRing ---- */

/* Opens a file for reading from its oldest record on. A `record` that is not NULL is what the file
   must say of a record, such as "0 id: long, 8 price: double". */
static inline int millrace_observe(millrace_reader *r, const char *path, size_t record_bytes,
                                   const char *record) {
  struct mr_header h;
  memset(r, 0, sizeof *r);
  int code = mr_open(&r->file, path, "HistoryRing.", false, &h);
  if (code != MILLRACE_OK) return code;
  r->capacity = h.settings[0].value;
  r->record_bytes = record_bytes;
  r->stride = 1 + (record_bytes + 7) / 8;
  h.layout[sizeof h.layout - 1] = 0;
  const char *found = strstr(h.layout, "record: ");
  if (h.settings[1].value != record_bytes || !found ||
      (record && strcmp(found + strlen("record: "), record)))
    return mr_refuse(&r->file, "other records: recordBytes", h.settings[1].value);
  if (r->capacity - 1 >= 1 << 30 || record_bytes - 1 >= 1 << 30 ||
      h.data_bytes != 256 + r->capacity * r->stride * 8)
    return mr_refuse(&r->file, "another layout: dataBytes", h.data_bytes);
  r->claimed = (millrace_word *)(void *)(r->file.base + h.data_offset);
  r->slots = r->claimed + 32;
  uint64_t claimed = mr_peek(r->claimed);
  r->position = claimed > MR_MOST || claimed < r->capacity ? 0 : claimed - r->capacity;
  return MILLRACE_OK;
}

/* Copies a record and returns its slot's stamp. The copy is whole if that is committed. */
static inline uint64_t mr_copy(millrace_reader *r, unsigned char *to) {
  millrace_word *slot = r->slots + r->position % r->capacity * r->stride;
  uint64_t stamp = mr_acquire(slot); /* acquire: the bytes */
  if (stamp != ((r->position + 1) << 2 | 1)) return stamp;
  for (uint64_t at = 0; at < r->record_bytes; at += 8) {
    uint64_t word = mr_peek(slot + 1 + at / 8), rest = r->record_bytes - at;
    memcpy(to + at, &word, rest < 8 ? rest : 8);
  }
  atomic_thread_fence(memory_order_acquire); /* the copy before the stamp is read again */
  return mr_peek(slot);
}

/* Reads the next record. Passes records that were overwritten, which are lost, or refused. */
static inline int millrace_next(millrace_reader *r, void *record) {
  while (true) {
    uint64_t turn = r->position + 1, stamp = mr_copy(r, record);
    if (stamp >> 2 > turn) { /* overwritten */
      uint64_t claimed = mr_peek(r->claimed);
      uint64_t oldest = claimed < turn + r->capacity ? turn : claimed - r->capacity;
      if (claimed > MR_MOST) return mr_fail(&r->file, MILLRACE_DAMAGED, "claimed", claimed);
      if (claimed < turn) return MILLRACE_EMPTY;
      r->lost += oldest - r->position;
      r->position = oldest;
    } else if (stamp >> 2 < turn || (stamp & 3) == 2) { /* 2: it is being written */
      return MILLRACE_EMPTY;
    } else {
      r->position = turn;
      if ((stamp & 3) == 1) return MILLRACE_OK;
      r->refused++;
    }
  }
}

static inline void millrace_unobserve(millrace_reader *r) { mr_close(&r->file); }

/* ---- a producer of a MessageQueue ---- */

/* Sets a lock that only closing this descriptor drops; F_OFD_SETLK would need _GNU_SOURCE. */
static inline bool mr_lock(const millrace_file *f, off_t at, short type) {
  struct flock lock = {.l_type = type, .l_start = at, .l_len = 1};
  return fcntl(f->fd, 37, &lock) == 0;
}

/* Takes an entry. Returns false if it is not free, has an owner, or another process is faster. */
static inline bool mr_enter(millrace_producer *p, struct mr_entry *e, off_t at, const char *name) {
  if (mr_peek(&e->state) & 0xFF || !mr_lock(&p->file, at, F_WRLCK)) return false;
  uint64_t occupant[12] = {(uint64_t)getpid(), (uint64_t)time(NULL) * 1000}; /* for people */
  memcpy(occupant + 6, name, strnlen(name, 48));
  p->owner = occupant[0] << 32 | 1; /* not a JVM's, so it counts as ended once the lock is free */
  if (mr_exchange(&e->owner, 0, p->owner)) {
    p->entry = e;
    p->state = mr_acquire(&e->state) | MR_PRODUCER;
    if ((p->state & 0xFF) == MR_PRODUCER) {
      for (int i = 0; i < 12; i++) mr_put(e->occupant + i, occupant[i]);
      mr_put(&e->intent, MR_NONE);
      mr_release(&e->state, p->state); /* release: the occupant */
      return true;
    }
    mr_release(&e->owner, 0);
  }
  mr_lock(&p->file, at, F_UNLCK);
  return false;
}

/* Takes a producer's place in a queue that a Java process has made. The name is for people. */
static inline int millrace_join(millrace_producer *p, const char *path, const char *name) {
  struct mr_header h;
  millrace_file *f = &p->file;
  memset(p, 0, sizeof *p);
  int code = mr_open(f, path, "MessageQueue.mpsc", true, &h);
  if (code != MILLRACE_OK) return code;
  uint64_t capacity = h.settings[0].value;
  if (capacity < 512 || capacity > (uint64_t)1 << 34 || capacity & (capacity - 1) ||
      h.data_bytes != 2 * capacity + 16 * 128 || strncmp(h.layout, MR_LAYOUT, sizeof h.layout))
    return mr_refuse(f, "another layout: dataBytes", h.data_bytes);
  if (!mr_lock(f, MR_LOCKS - 1, F_RDLCK)) /* keeps others from removing the file */
    return mr_refuse(f, "being removed, or no locks: errno", (uint64_t)errno);
  p->cells = capacity / 16;
  p->max_length = 16 * (p->cells / 2 < 65535 ? p->cells / 2 : 65535);
  while (p->cells >> p->turn_shift > 1) p->turn_shift++;
  p->stamps = (millrace_word *)(void *)(f->base + h.data_offset);
  p->tail = p->stamps + 2 * p->cells + 16;
  p->head = p->tail + 16;
  p->counts = p->head + 32 + 2 * p->cells;
  for (uint32_t i = h.reserved; i < h.participants; i++)
    if (mr_enter(p, (struct mr_entry *)(void *)(f->base + sizeof h) + i, MR_LOCKS + i, name))
      return MILLRACE_OK;
  return mr_fail(f, MILLRACE_OCCUPIED, "no free place: participants", h.participants);
}

/* Returns MILLRACE_OK if the cells before `end` are free. */
static inline int mr_admit(millrace_producer *p, uint64_t end) {
  if (end <= p->limit) return MILLRACE_OK;
  uint64_t head = mr_acquire(p->head); /* acquire: what the consumer did with the cells before it */
  uint64_t tail = mr_acquire(p->tail) & ~MR_TOP;
  if (tail > MR_MOST || head > tail) return mr_fail(&p->file, MILLRACE_DAMAGED, "head", head);
  p->limit = head + p->cells;
  return end <= p->limit ? MILLRACE_OK : MILLRACE_FULL;
}

/* Announces a claim that is about to be made. Returns false if this producer is fenced. */
static inline bool mr_declare(millrace_producer *p, uint64_t first, uint64_t end) {
  mr_put(&p->entry->intent, MR_NONE);
  mr_release(&p->entry->intent_end, end);
  mr_release(&p->entry->intent, first);
  atomic_thread_fence(memory_order_seq_cst); /* the intent before the state is read */
  return mr_peek(&p->entry->state) == p->state;
}

/* Aborts cells of a claim that was not marked. Returns how many, without those given up before. */
static inline uint64_t mr_relinquish(millrace_producer *p, uint64_t first, uint64_t end) {
  uint64_t count = 0;
  for (; first < end; first++) {
    uint64_t seen = mr_peek(mr_stamp(p, first)), turn = mr_turn(p, first);
    if ((int64_t)((seen >> 19 << 19) - turn) < 0 || (seen >> 19 << 19 == turn && !(seen & 7)))
      count += mr_exchange(mr_stamp(p, first), seen, turn | 1 << 3 | MR_ABORTED);
  }
  return count;
}

/* Ends the open claim as COMMITTED or ABORTED, unless the consumer has given it up. */
static inline int mr_end(millrace_producer *p, uint64_t state) {
  if (p->next == p->end) return mr_fail(&p->file, MILLRACE_MISUSE, "no open claim: next", p->next);
  millrace_word *stamp = mr_stamp(p, p->next);
  uint64_t count = p->end - p->next, ended = mr_turn(p, p->next) | count << 3 | state;
  uint64_t seen = mr_peek(stamp);
  bool in_time = (seen & 7) == MR_CLAIMED && mr_exchange(stamp, seen, ended);
  if (in_time && state == MR_ABORTED) atomic_fetch_add(p->counts + MR_GIVEN_BACK, count);
  while (!in_time && ((seen = mr_peek(stamp)) & 7) == MR_ABANDONED)
    mr_exchange(stamp, seen, seen - MR_ABANDONED + MR_LET_GO);
  if (!in_time) atomic_fetch_add(p->counts + MR_LATE, count);
  mr_release(&p->entry->intent, MR_NONE); /* release: how the claim ended */
  p->next = p->end;
  return in_time ? MILLRACE_OK : mr_fail(&p->file, MILLRACE_GIVEN_UP, "given up: cells", count);
}

static inline int mr_claim(millrace_producer *p, uint64_t cells) {
  for (uint64_t begin = mr_acquire(p->tail);;) {
    uint64_t first = mr_acquire(p->tail), end = first + cells, hole = first;
    if (first & MR_TOP) return MILLRACE_COMPLETED;
    if (first - begin > 2 * p->cells) return MILLRACE_FULL; /* so that this ends */
    int code = mr_admit(p, end);
    uint64_t seen = mr_peek(mr_stamp(p, first)); /* the mark is an exchange of this */
    bool any = mr_peek(p->counts + MR_OUT_OF_USE) != 0;
    while (hole < end && !(any && (mr_peek(mr_stamp(p, hole)) & 7) >= MR_ABANDONED)) hole++;
    if (code == MILLRACE_OK && hole < end) { /* cells are out of use: the tail must pass them */
      uint64_t count = mr_peek(mr_stamp(p, hole)) >> 3 & 0xFFFF;
      end = hole + (count ? count : 1);
      code = mr_admit(p, end);
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
      continue;
    }
    p->next = first;
    p->end = end;
    if ((first & (p->cells - 1)) + cells <= p->cells) return MILLRACE_OK;
    mr_end(p, MR_ABORTED); /* it would wrap past the end of the memory */
  }
}

/* Claims room for a message. Write it to `bytes`, and then commit or abort. */
static inline int millrace_claim(millrace_producer *p, uint32_t type, size_t length, void **bytes) {
  millrace_file *f = &p->file;
  if (!f->base) return mr_fail(f, MILLRACE_MISUSE, "not joined: bytes", f->bytes);
  if (p->next != p->end) return mr_fail(f, MILLRACE_MISUSE, "a claim is open: length", p->length);
  if (length > p->max_length) return mr_fail(f, MILLRACE_MISUSE, "too long: length", length);
  int code = MILLRACE_FENCED;
  if (mr_peek(&p->entry->state) == p->state) code = mr_claim(p, length ? (length + 15) / 16 : 1);
  if (code != MILLRACE_OK) mr_release(&p->entry->intent, MR_NONE);
  if (code == MILLRACE_FENCED) mr_fail(f, code, "taken for dead: state", mr_peek(&p->entry->state));
  p->type = type;
  p->length = length;
  *bytes = code ? NULL : (char *)(p->head + 32) + 16 * (p->next & (p->cells - 1));
  return code;
}

/* Publishes the claimed message. The length is that of the claim, or less. */
static inline int millrace_commit(millrace_producer *p, size_t length) {
  if (length > p->length) return mr_fail(&p->file, MILLRACE_MISUSE, "too long: length", length);
  if (p->next != p->end) mr_put(mr_stamp(p, p->next) + 1, (uint64_t)length << 32 | p->type);
  return mr_end(p, MR_COMMITTED);
}

/* Gives the claim back, so that the consumer sees nothing of it. */
static inline int millrace_abort(millrace_producer *p) { return mr_end(p, MR_ABORTED); }

/* Completes the queue: no producer can claim, and the consumer ends behind the last message. */
static inline void millrace_complete(millrace_producer *p) { atomic_fetch_or(p->tail, MR_TOP); }

/* Aborts an open claim, gives up the place, and closes the file. */
static inline void millrace_leave(millrace_producer *p) {
  if (!p->file.base) return;
  if (p->next != p->end) millrace_abort(p);
  uint64_t freed = p->state - MR_PRODUCER + MR_EPOCH;
  if (mr_exchange(&p->entry->state, p->state, freed) ||
      mr_exchange(&p->entry->state, p->state | MR_JUDGED, freed))
    mr_exchange(&p->entry->owner, p->owner, 0);
  mr_close(&p->file); /* which drops its locks */
}
#endif
