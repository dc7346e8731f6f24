package dev.millrace.simulator;

/**
 * The arrays of references of an execution: a location for each element that woven code has
 * accessed. Besides, the array itself holds the element that is the last in modification order:
 * code that is not woven sees that one, and the execution notices what such code has written.
 */
@SuppressWarnings("ReferenceEquality") // the same array, the same element
final class ArrayStore {
  private static final int FIRST_SLOTS = 32;

  private final Simulation simulation;

  // A hash table by identity, at most half full; each slot has an array and its elements.
  private Object[][] arrays = new Object[FIRST_SLOTS][];
  private Location[][] locations = new Location[FIRST_SLOTS][];
  private int used;

  private Object[] lastArray;
  private Location[] lastLocations;

  ArrayStore(Simulation simulation) {
    this.simulation = simulation;
  }

  /** The location of an element, where an access is to be. */
  Location at(Object[] array, int index) {
    if (array != lastArray) {
      find(array);
    }
    Location location = lastLocations[index];
    if (location == null) {
      location = new Location(simulation, array, index);
      lastLocations[index] = location;
    } else {
      check(location);
    }
    return location;
  }

  /** The location of an element; null if woven code has not accessed it. */
  Location existing(Object[] array, int index) {
    int slot = slot(array);
    return arrays[slot] == null ? null : locations[slot][index];
  }

  private static void check(Location location) {
    if (location.element() != location.newestReference()) {
      throw Simulation.refusal("element was written by code that is not woven: " + location.name());
    }
  }

  private void find(Object[] array) {
    int slot = slot(array);
    if (arrays[slot] == null) {
      if (2 * ++used > arrays.length) {
        grow();
        slot = slot(array);
      }
      arrays[slot] = array;
      locations[slot] = new Location[array.length];
    }
    lastArray = array;
    lastLocations = locations[slot];
  }

  private int slot(Object[] array) {
    int mask = arrays.length - 1;
    int slot = System.identityHashCode(array) & mask;
    while (arrays[slot] != null && arrays[slot] != array) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    Object[][] formerArrays = arrays;
    Location[][] formerLocations = locations;
    arrays = new Object[2 * formerArrays.length][];
    locations = new Location[arrays.length][];
    for (int i = 0; i < formerArrays.length; i++) {
      if (formerArrays[i] != null) {
        int slot = slot(formerArrays[i]);
        arrays[slot] = formerArrays[i];
        locations[slot] = formerLocations[i];
      }
    }
  }
}
