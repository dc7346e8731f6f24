package dev.millrace.bench.cache;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/** Draws ranks from 0 on, of which each is the less likely the higher it is. */
final class Zipf {
  private final double[] sums; // of the weights up to and including each rank
  private final RandomGenerator random;

  Zipf(int ranks, double exponent, RandomGenerator random) {
    this.sums = new double[ranks];
    this.random = random;
    double sum = 0;
    for (int i = 0; i < ranks; i++) {
      sum += Math.pow(i + 1, -exponent);
      sums[i] = sum;
    }
  }

  int next() {
    int found = Arrays.binarySearch(sums, random.nextDouble(sums[sums.length - 1]));
    return found < 0 ? -found - 1 : found + 1; // a sum itself begins the next rank
  }
}
