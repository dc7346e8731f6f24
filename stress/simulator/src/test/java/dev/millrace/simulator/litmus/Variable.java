package dev.millrace.simulator.litmus;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A variable that is a field. */
final class Variable implements Cell {
  private static final VarHandle VALUE;

  static {
    try {
      VALUE = MethodHandles.lookup().findVarHandle(Variable.class, "value", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private int value;

  @Override
  public int call(String method, int first, int second) {
    return switch (method) {
      case "get" -> value;
      case "getOpaque" -> (int) VALUE.getOpaque(this);
      case "getAcquire" -> (int) VALUE.getAcquire(this);
      case "getVolatile" -> (int) VALUE.getVolatile(this);
      case "getAndAdd" -> (int) VALUE.getAndAdd(this, first);
      case "getAndAddAcquire" -> (int) VALUE.getAndAddAcquire(this, first);
      case "getAndAddRelease" -> (int) VALUE.getAndAddRelease(this, first);
      case "getAndSet" -> (int) VALUE.getAndSet(this, first);
      case "getAndSetAcquire" -> (int) VALUE.getAndSetAcquire(this, first);
      case "getAndSetRelease" -> (int) VALUE.getAndSetRelease(this, first);
      case "compareAndExchange" -> (int) VALUE.compareAndExchange(this, first, second);
      case "compareAndExchangeAcquire" ->
          (int) VALUE.compareAndExchangeAcquire(this, first, second);
      case "compareAndExchangeRelease" ->
          (int) VALUE.compareAndExchangeRelease(this, first, second);
      case "compareAndSet" -> Cell.number(VALUE.compareAndSet(this, first, second));
      case "weakCompareAndSet" -> Cell.number(VALUE.weakCompareAndSet(this, first, second));
      case "weakCompareAndSetAcquire" ->
          Cell.number(VALUE.weakCompareAndSetAcquire(this, first, second));
      case "weakCompareAndSetRelease" ->
          Cell.number(VALUE.weakCompareAndSetRelease(this, first, second));
      case "weakCompareAndSetPlain" ->
          Cell.number(VALUE.weakCompareAndSetPlain(this, first, second));
      default -> {
        set(method, first);
        yield 0;
      }
    };
  }

  private void set(String method, int to) {
    switch (method) {
      case "set" -> value = to;
      case "setOpaque" -> VALUE.setOpaque(this, to);
      case "setRelease" -> VALUE.setRelease(this, to);
      case "setVolatile" -> VALUE.setVolatile(this, to);
      default -> Cell.fence(method);
    }
  }
}
