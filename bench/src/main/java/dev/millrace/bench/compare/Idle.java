package dev.millrace.bench.compare;

/**
 * What a side does after an attempt in vain.
 *
 * @param pauses how often it pauses
 */
record Idle(int pauses) {
  void pause() {
    for (int i = 0; i < pauses; i++) {
      Thread.onSpinWait();
    }
  }
}
