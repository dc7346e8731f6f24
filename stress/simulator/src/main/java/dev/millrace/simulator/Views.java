package dev.millrace.simulator;

import java.util.Arrays;

/**
 * Views and clocks: what a thread, a message or a fence knows.
 *
 * <p>A view gives for each atomic location the timestamp of the oldest message that its holder may
 * still read; a location beyond its length is at 0, the initial message. A clock gives for each
 * thread the number of its last release that happens before its holder.
 */
final class Views {
  static final long[] NO_VIEW = {};

  private Views() {}

  /** Returns the later of two views, which may be the first of them, changed. */
  static long[] join(long[] view, long[] other) {
    if (other == null) {
      return view;
    }
    long[] joined = other.length > view.length ? Arrays.copyOf(view, other.length) : view;
    for (int i = 0; i < other.length; i++) {
      if (other[i] > joined[i]) {
        joined[i] = other[i];
      }
    }
    return joined;
  }

  /** Returns the view with a location at no less than a timestamp; may be the same, changed. */
  static long[] raise(long[] view, int location, long timestamp) {
    long[] raised = location < view.length ? view : Arrays.copyOf(view, location + 4);
    if (timestamp > raised[location]) {
      raised[location] = timestamp;
    }
    return raised;
  }

  /** Says whether a view is at no less than another, for each location. */
  static boolean covers(long[] view, long[] other) {
    for (int i = 0; i < other.length; i++) {
      if (other[i] > at(view, i)) {
        return false;
      }
    }
    return true;
  }

  static long at(long[] view, int location) {
    return location < view.length ? view[location] : 0;
  }

  /** Joins the other clock, which may be null, into the first. */
  static void join(int[] clock, int[] other) {
    if (other != null) {
      for (int i = 0; i < clock.length; i++) {
        if (other[i] > clock[i]) {
          clock[i] = other[i];
        }
      }
    }
  }
}
