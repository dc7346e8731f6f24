package dev.millrace.simulator.litmus;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * A variable that is an element of an array of references, which has all variables of a program.
 * Its values are small, so that equal ones are the same object. There is no addition of references.
 */
final class Element implements Cell {
  private static final VarHandle ELEMENTS = MethodHandles.arrayElementVarHandle(Integer[].class);

  private final Integer[] all;
  private final int index;

  private Element(Integer[] all, int index) {
    this.all = all;
    this.index = index;
  }

  static Cell[] of(int count) {
    Integer[] all = new Integer[count];
    Arrays.fill(all, 0);
    Cell[] cells = new Cell[count];
    for (int i = 0; i < count; i++) {
      cells[i] = new Element(all, i);
    }
    return cells;
  }

  @Override
  public int call(String method, int first, int second) {
    Integer one = first;
    Integer other = second;
    return switch (method) {
      case "get" -> all[index];
      case "getOpaque" -> (Integer) ELEMENTS.getOpaque(all, index);
      case "getAcquire" -> (Integer) ELEMENTS.getAcquire(all, index);
      case "getVolatile" -> (Integer) ELEMENTS.getVolatile(all, index);
      case "getAndSet" -> (Integer) ELEMENTS.getAndSet(all, index, one);
      case "getAndSetAcquire" -> (Integer) ELEMENTS.getAndSetAcquire(all, index, one);
      case "getAndSetRelease" -> (Integer) ELEMENTS.getAndSetRelease(all, index, one);
      case "compareAndExchange" -> (Integer) ELEMENTS.compareAndExchange(all, index, one, other);
      case "compareAndExchangeAcquire" ->
          (Integer) ELEMENTS.compareAndExchangeAcquire(all, index, one, other);
      case "compareAndExchangeRelease" ->
          (Integer) ELEMENTS.compareAndExchangeRelease(all, index, one, other);
      case "compareAndSet" -> Cell.number(ELEMENTS.compareAndSet(all, index, one, other));
      case "weakCompareAndSet" -> Cell.number(ELEMENTS.weakCompareAndSet(all, index, one, other));
      case "weakCompareAndSetAcquire" ->
          Cell.number(ELEMENTS.weakCompareAndSetAcquire(all, index, one, other));
      case "weakCompareAndSetRelease" ->
          Cell.number(ELEMENTS.weakCompareAndSetRelease(all, index, one, other));
      case "weakCompareAndSetPlain" ->
          Cell.number(ELEMENTS.weakCompareAndSetPlain(all, index, one, other));
      default -> {
        set(method, one);
        yield 0;
      }
    };
  }

  private void set(String method, Integer to) {
    switch (method) {
      case "set" -> all[index] = to;
      case "setOpaque" -> ELEMENTS.setOpaque(all, index, to);
      case "setRelease" -> ELEMENTS.setRelease(all, index, to);
      case "setVolatile" -> ELEMENTS.setVolatile(all, index, to);
      default -> Cell.fence(method);
    }
  }
}
