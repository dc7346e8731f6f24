/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins copies of a ring's file with damaged words, claims and reads there, and counts what the
 * calls returned. The test sees whether it ends, and whether anything is accessed outside the file.
 */
#include "millrace.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

static uint64_t random_word(void) { /* xorshift */
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

static uint64_t odd_word(uint64_t old) {
  switch (random_word() % 8) {
  case 6: return old & ~(uint64_t)0x7FFF8; /* of a stamp: no cells */
  case 7: return old | 0x7FFF8;            /* of a stamp: many cells */
  case 0: return random_word();
  case 1: return old + random_word() % 64 - 32;
  case 2: return old ^ (uint64_t)1 << random_word() % 64;
  case 3: return random_word() % 1024;
  case 4: return UINT64_MAX - random_word() % 1024;
  default: return (uint64_t)1 << random_word() % 64;
  }
}

/* Damages words behind the header, a few or many, and seldom the header. */
static void damage(unsigned char *file, size_t size) {
  for (uint64_t count = 1 + random_word() % (random_word() % 8 ? 8 : 512); count > 0; count--) {
    size_t at = random_word() % 16 ? 4096 + random_word() % (size - 4096) : random_word() % 4096;
    uint64_t word;
    memcpy(&word, file + at / 8 * 8, 8);
    word = odd_word(word);
    memcpy(file + at / 8 * 8, &word, 8);
  }
}

int main(int count, char **arguments) { /* template, copy, kind, seed, rounds */
  if (count != 6) return 2;
  int codes[32] = {0};
  alarm(300); /* ends even if a call does not */
  FILE *in = fopen(arguments[1], "r");
  static unsigned char pristine[1 << 20], file[1 << 20];
  size_t size = in ? fread(pristine, 1, sizeof pristine, in) : 0;
  int fd = open(arguments[2], O_RDWR | O_CREAT, 0600);
  state = strtoull(arguments[4], NULL, 10) * 2 + 1;
  for (long round = strtol(arguments[5], NULL, 10); round > 0; round--) {
    millrace_producer p;
    millrace_reader r;
    unsigned char record[1024];
    void *bytes;
    memcpy(file, pristine, size);
    damage(file, size);
    if (pwrite(fd, file, size, 0) != (ssize_t)size) return 3;
    if (strncmp(arguments[3], "History", 7)) {
      int code = millrace_join(&p, arguments[2], "fuzz");
      codes[-code]++;
      for (int i = 0; code == MILLRACE_OK && i < 200; i++) {
        size_t length = random_word() % (p.max_length + 1);
        code = millrace_claim(&p, 1, length, &bytes);
        codes[-code]++;
        if (code == MILLRACE_OK) {
          memset(bytes, 0xEE, length);
          code = random_word() % 4 ? millrace_commit(&p, length) : millrace_abort(&p);
          codes[-code]++;
        }
      }
      millrace_leave(&p);
    } else {
      int code = millrace_observe(&r, arguments[2], 24, NULL);
      codes[-code]++;
      for (int i = 0; code == MILLRACE_OK && i < 1000; i++) {
        code = millrace_next(&r, record);
        codes[-code]++;
      }
      millrace_unobserve(&r);
    }
  }
  for (int i = 0; i <= -MILLRACE_MISUSE; i++) printf("code %d: %d times\n", -i, codes[i]);
  return 0;
}
