/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that takes part in rings as the tests tell it: a command on each line of its input, and
 * for each a line with the code and what was wrong.
 */
#include "millrace.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static millrace_producer producer;
static millrace_reader reader;
static void *bytes;

static void answer(int code, const millrace_file *file) {
  printf("%d", code);
  if (code < MILLRACE_COMPLETED) printf(" %s=%" PRIu64, file->error, file->found);
  printf("\n");
}

/* A message has 16 bytes and more: its number, first, and its complement, last. */
static size_t length_of(int64_t number) { return (size_t)(16 + number % 5 * 17); }

static void write_message(char *to, int64_t number) {
  int64_t complement = ~number;
  memcpy(to, &number, 8);
  memcpy(to + length_of(number) - 8, &complement, 8);
}

/* Sends messages and notes, in shared memory, how many were begun and how many committed. */
static int send_messages(int64_t first, int64_t count, _Atomic int64_t *notes) {
  for (int64_t number = first; number < first + count;) {
    void *to;
    int code = millrace_claim(&producer, 1, length_of(number), &to);
    if (code == MILLRACE_FULL) {
      sched_yield();
      continue;
    }
    if (code != MILLRACE_OK) return code;
    write_message(to, number);
    if (notes) atomic_store(&notes[0], number + 1);
    code = millrace_commit(&producer, length_of(number));
    if (code != MILLRACE_OK) return code;
    number++;
    if (notes) atomic_store(&notes[1], number);
  }
  return MILLRACE_OK;
}

/* Reads records, which are those of Point.java, until the last one; returns how many. */
static int64_t follow(int64_t last) {
  int64_t record[3] = {0}, seen = -1, count = 0;
  while (record[0] < last) {
    int code = millrace_next(&reader, record);
    if (code == MILLRACE_EMPTY) {
      sched_yield();
      continue;
    }
    uint64_t mixed = ((uint64_t)record[0] ^ 0x5DEECE66D) * 0x9E3779B97F4A7C15;
    bool whole = record[1] == -record[0] && (uint64_t)record[2] == mixed;
    if (code != MILLRACE_OK || !whole || record[0] <= seen) return code < 0 ? code : -100;
    seen = record[0];
    count++;
  }
  return count;
}

static _Atomic int64_t *map_notes(const char *path) {
  int fd = open(path, O_RDWR);
  void *notes = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return notes == MAP_FAILED ? NULL : notes;
}

int main(void) {
  static char line[4096], path[1024], text[1024];
  static _Atomic int64_t *notes;
  setvbuf(stdout, NULL, _IOLBF, 0);
  alarm(300); /* ends even if the test that started it does not */
  while (fgets(line, sizeof line, stdin)) {
    char name[64] = "";
    long long number, count;
    size_t length;
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "join %1023s %63s", path, name) == 2) {
      answer(millrace_join(&producer, path, name), &producer.file);
    } else if (sscanf(line, "claim %lld %zu", &number, &length) == 2) {
      answer(millrace_claim(&producer, (uint32_t)number, length, &bytes), &producer.file);
    } else if (sscanf(line, "write %1023[^\n]", text) == 1) {
      memcpy(bytes, text, strlen(text));
      answer(MILLRACE_OK, &producer.file);
    } else if (sscanf(line, "commit %zu", &length) == 1) {
      answer(millrace_commit(&producer, length), &producer.file);
    } else if (!strcmp(line, "abort")) {
      answer(millrace_abort(&producer), &producer.file);
    } else if (!strcmp(line, "complete")) {
      millrace_complete(&producer);
      answer(MILLRACE_OK, &producer.file);
    } else if (!strcmp(line, "leave")) {
      millrace_leave(&producer);
      answer(MILLRACE_OK, &producer.file);
    } else if (!strcmp(line, "unlock")) { /* as a close of the file drops the locks of a JVM */
      struct mr_entry *first = (struct mr_entry *)(void *)(producer.file.base + 4096);
      off_t at = MR_LOCKS + (producer.entry - first);
      answer(mr_lock(&producer.file, at, F_UNLCK) ? 0 : -1, &producer.file);
    } else if (sscanf(line, "notes %1023s", path) == 1) {
      answer((notes = map_notes(path)) ? 0 : -1, &producer.file);
    } else if (sscanf(line, "send %lld %lld", &number, &count) == 2) {
      answer(send_messages(number, count, notes), &producer.file);
    } else if (sscanf(line, "observe %1023s %zu %1023[^\n]", path, &length, text) == 3) {
      bool any = !strcmp(text, "any");
      answer(millrace_observe(&reader, path, length, any ? NULL : text), &reader.file);
    } else if (!strcmp(line, "next")) {
      int64_t record[3] = {0};
      int code = millrace_next(&reader, record);
      printf("%d %" PRId64 " position=%" PRIu64, code, record[0], reader.position);
      printf(" lost=%" PRIu64 " refused=%" PRIu64 "\n", reader.lost, reader.refused);
    } else if (sscanf(line, "follow %lld", &number) == 1) {
      printf("%" PRId64, follow(number));
      printf(" lost=%" PRIu64 " refused=%" PRIu64 "\n", reader.lost, reader.refused);
    } else {
      printf("what? %s\n", line);
    }
  }
  return 0;
}
