/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uses rings of Millrace in files that processes share. This header opens such a file and reads a
 * HistoryRing. The header millrace_queue.h produces into a MessageQueue. You may copy both into
 * your program. They need C11 with atomics and a 64-bit POSIX system. Include them first, or define
 * _POSIX_C_SOURCE as 200809L. docs/QUEUE-FORMAT.md explains the format and each step.
 *
 * Roles: one thread at a time may use a reader or a producer.
 *
 * Failure: functions return a code. If it is below MILLRACE_COMPLETED, file.error says what is
 * wrong. Nothing in a file is trusted: damage is reported, and no memory outside the mapping is
 * accessed. But an access raises SIGBUS if another process truncates the file.
 */
#ifndef MILLRACE_H
#define MILLRACE_H
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == 8 && sizeof(size_t) == 8 && ATOMIC_LLONG_LOCK_FREE == 2, "64 bits");

enum { /* after FENCED leave and join again; after NO_FILE wait until a Java process has made it */
  MILLRACE_OK = 0, MILLRACE_FULL = -1, MILLRACE_EMPTY = -2, MILLRACE_COMPLETED = -3,
  MILLRACE_GIVEN_UP = -4, MILLRACE_FENCED = -5, MILLRACE_OCCUPIED = -6, MILLRACE_NO_FILE = -7,
  MILLRACE_REFUSED = -8, MILLRACE_DAMAGED = -9, MILLRACE_MISUSE = -10
};

/* What a code means. */
static inline const char *millrace_message(int code) {
  static const char *const messages[] = {
      "done", "queue is full", "no record yet", "queue is completed, it takes no more messages",
      "claim was given up, so its message is lost", "taken for dead by another process",
      "no place for another producer", "no such file", "file cannot be used", "memory is damaged",
      "argument out of range, no open claim, or a claim is already open"};
  return code <= 0 && code >= MILLRACE_MISUSE ? messages[-code] : "unknown code";
}

typedef _Atomic uint64_t millrace_word;
typedef struct {
  char error[1024];
  const char *path;
  unsigned char *base; /* NULL unless it is open */
  uint64_t bytes;
  int fd;
} millrace_file;
typedef struct {
  millrace_file file;
  millrace_word *memory;
  uint64_t capacity, record_bytes, stride;
  uint64_t position, sequence;  /* to read next; of the record that was read last */
  uint64_t read, lost, refused; /* how many records were passed, and why */
} millrace_reader;

/* ---- the format; names that begin with mr are not part of the interface ---- */

struct mr_header {
  uint64_t magic;
  uint32_t byte_order, version;
  char kind[24];
  uint64_t file_bytes;
  uint32_t participants, reserved;
  uint64_t words_offset, words_bytes, data_offset, data_bytes, created, creator;
  uint32_t flags, setting_count, unused[4];
  struct { char name[24]; uint64_t value; } settings[16];
  char layout[3452];
  uint32_t checksum;
};
#define MR_MOST ((uint64_t)1 << 61) /* more than any sequence */
#define MR_U "%" PRIu64
#define MR_REFUSE(...) return mr_fail(f, MILLRACE_REFUSED, "%s: " __VA_ARGS__)
#define MR_DAMAGE(what, x) \
  return mr_fail(f, MILLRACE_DAMAGED, "damaged: " what " is %" PRId64 ", %s", (int64_t)(x), f->path)
#define mr_peek(word) atomic_load_explicit(word, memory_order_relaxed)
#define mr_acquire(word) atomic_load_explicit(word, memory_order_acquire)

/* ---- opening ---- */

static inline void mr_close(millrace_file *f) {
  if (f->base) munmap(f->base, f->bytes);
  if (f->fd >= 0) close(f->fd);
  f->base = NULL, f->fd = -1;
}

/* Notes what is wrong, and closes a file that was not opened in the end; returns the code. */
__attribute__((format(printf, 3, 4)))
static inline int mr_fail(millrace_file *f, int code, const char *text, ...) {
  va_list values;
  va_start(values, text);
  vsnprintf(f->error, sizeof f->error, text, values);
  va_end(values);
  if (code <= MILLRACE_OCCUPIED && code >= MILLRACE_REFUSED) mr_close(f);
  return code;
}

/* Checks a copy of the header, because the original may change meanwhile. */
static inline int mr_check(millrace_file *f, const struct mr_header *h, const char *kind) {
  uint32_t crc = ~0u, order = h->byte_order;
  for (size_t bit = 8 * 8; bit < 4092 * 8; bit++) /* CRC-32C */
    crc ^= bit % 8 ? 0 : ((const uint8_t *)h)[bit / 8], crc = crc >> 1 ^ (0x82F63B78 & -(crc & 1));
  if (order == 0x04030201) MR_REFUSE("written in another byte order than this machine's", f->path);
  if (order == 0x01020304 && h->version != 1)
    MR_REFUSE("unknown version: version=%" PRIu32 ", known is 1", f->path, h->version);
  if (h->checksum != ~crc || order != 0x01020304)
    MR_REFUSE("header is damaged: checksum=0x%08" PRIx32 ", its bytes have 0x%08" PRIx32, f->path,
              h->checksum, ~crc);
  if (h->participants - 1 >= 1024 || h->reserved > h->participants || h->data_bytes >> 46 ||
      h->words_offset != 4096 + 128 * (uint64_t)h->participants || h->words_bytes % 128 ||
      h->words_bytes >> 46 || h->data_offset != h->words_offset + h->words_bytes ||
      h->file_bytes != ((h->data_offset + h->data_bytes + 4095) & ~(uint64_t)4095))
    MR_REFUSE("another layout: fileBytes=" MR_U, f->path, h->file_bytes);
  if (f->bytes != h->file_bytes)
    MR_REFUSE("cut short: bytes=" MR_U ", made with " MR_U, f->path, f->bytes, h->file_bytes);
  size_t length = strlen(kind); /* one that ends with a dot stands for all that begin so */
  if (strncmp(h->kind, kind, length && kind[length - 1] == '.' ? length : 24))
    MR_REFUSE("another kind of ring: kind=%.24s, expected %s", f->path, h->kind, kind);
  return MILLRACE_OK;
}

static inline int mr_open(millrace_file *f, const char *path, const char *kind, bool writes,
                          struct mr_header *h) {
  struct stat found;
  f->path = path;
  f->fd = open(f->path, (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
  if (f->fd < 0 && errno == ENOENT) return mr_fail(f, MILLRACE_NO_FILE, "%s: no such file", path);
  if (f->fd < 0) MR_REFUSE("%s", f->path, strerror(errno));
  if (fstat(f->fd, &found) || !S_ISREG(found.st_mode)) MR_REFUSE("not a regular file", f->path);
  f->bytes = (uint64_t)found.st_size;
  if (f->bytes < 4096) MR_REFUSE("too short for a ring: bytes=" MR_U, f->path, f->bytes);
  f->base = mmap(NULL, f->bytes, PROT_READ | (writes ? PROT_WRITE : 0), MAP_SHARED, f->fd, 0);
  if (f->base == MAP_FAILED) f->base = NULL;
  if (!f->base) MR_REFUSE("%s", f->path, strerror(errno));
  h->magic = mr_acquire((millrace_word *)(void *)f->base); /* acquire: all that the creator wrote */
  if (!h->magic) MR_REFUSE("still being made, or never completed: magic=0", f->path);
  if (memcmp(&h->magic, "MILLRING", 8))
    MR_REFUSE("not a ring of this library: magic=0x%" PRIx64, f->path, h->magic);
  memcpy(h, f->base, sizeof *h);
  return mr_check(f, h, kind);
}

/* ---- a reader of a HistoryRing ---- */

#define MR_HISTORY_LAYOUT                                                                         \
  "places of readers: length, position, name of 112 bytes; words of 128 bytes: claimed, refused;" \
  " slots: stamp u64, record, padding to 8 bytes; record: "

/*
 * Opens a HistoryRing's file for reading from the oldest record that it keeps. The path must stay
 * valid. `record` is what the file says of a record, such as "0 id: long, 8 price: double"; NULL
 * accepts any record of that size.
 */
static inline int millrace_observe(millrace_reader *r, const char *path, size_t record_bytes,
                                   const char *record) {
  struct mr_header h;
  millrace_file *f = &r->file;
  memset(r, 0, sizeof *r);
  int code = mr_open(f, path, "HistoryRing.", false, &h);
  if (code != MILLRACE_OK) return code;
  uint64_t capacity = h.settings[0].value, stride = 8 + ((record_bytes + 7) & ~(size_t)7);
  size_t known = sizeof MR_HISTORY_LAYOUT - 1;
  if (h.settings[1].value != record_bytes)
    MR_REFUSE("other settings: recordBytes=" MR_U ", expected %zu", f->path, h.settings[1].value,
              record_bytes);
  if (strncmp(h.settings[0].name, "capacity", 24) || capacity - 1 >= 1 << 30 ||
      strncmp(h.settings[1].name, "recordBytes", 24) || record_bytes - 1 >= 1 << 30 ||
      h.data_bytes != 256 + capacity * stride || strncmp(h.layout, MR_HISTORY_LAYOUT, known) ||
      (record && strncmp(h.layout + known, record, sizeof h.layout - known)))
    MR_REFUSE("another layout: %.400s, expected %s%s", f->path, h.layout, MR_HISTORY_LAYOUT,
              record ? record : "");
  r->capacity = capacity, r->record_bytes = record_bytes, r->stride = stride / 8;
  r->memory = (millrace_word *)(void *)(f->base + h.data_offset);
  uint64_t claimed = mr_peek(r->memory);
  r->position = claimed > MR_MOST || claimed < capacity ? 0 : claimed - capacity;
  return MILLRACE_OK;
}

/* Copies a record and returns its slot's stamp; the copy is whole if that is committed. */
static inline uint64_t mr_copy(millrace_reader *r, unsigned char *to) {
  millrace_word *slot = r->memory + 32 + r->position % r->capacity * r->stride;
  uint64_t stamp = mr_acquire(slot); /* acquire: the bytes */
  if (stamp != ((r->position + 1) << 2 | 1)) return stamp;
  for (uint64_t at = 0; at < r->record_bytes; at += 8) {
    uint64_t word = mr_peek(slot + 1 + at / 8), rest = r->record_bytes - at;
    memcpy(to + at, &word, rest < 8 ? rest : 8);
  }
  atomic_thread_fence(memory_order_acquire); /* the copy before the stamp is read again */
  return mr_peek(slot);
}

/* Reads the next record; passes those that were overwritten, which are lost, or refused. */
static inline int millrace_next(millrace_reader *r, void *record) {
  millrace_file *f = &r->file;
  for (;; r->refused++) {
    uint64_t stamp = mr_copy(r, record), turn = r->position + 1;
    while (stamp >> 2 > turn) {
      uint64_t claimed = mr_peek(r->memory);
      uint64_t oldest = claimed < r->capacity ? 0 : claimed - r->capacity;
      if (claimed > MR_MOST) MR_DAMAGE("claims", claimed);
      if (claimed <= r->position) return MILLRACE_EMPTY;
      oldest = oldest > turn ? oldest : turn;
      r->lost += oldest - r->position, r->position = oldest;
      stamp = mr_copy(r, record), turn = r->position + 1;
    }
    if (stamp >> 2 < turn || (stamp & 3) == 2) return MILLRACE_EMPTY; /* 2: it is being written */
    r->position = turn;
    if ((stamp & 3) != 1) continue; /* it was refused */
    r->sequence = turn - 1, r->read++;
    return MILLRACE_OK;
  }
}

static inline void millrace_unobserve(millrace_reader *r) { mr_close(&r->file); }
#endif
