package dev.millrace.disruptor;

import dev.millrace.core.internal.Templates;
import dev.millrace.flyweight.internal.ClassGeneration;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Passes the events of a batch to a handler one by one. Each handler gets a hidden copy of this
 * class. The call in the copy's loop then sees only that handler, so that the just-in-time compiler
 * can inline it. With one class for all handlers, as where no class can be made at run time, each
 * event costs a virtual call.
 */
final class EachEvent<E> implements BatchHandler<E> {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  private final EventHandler<? super E> handler;

  EachEvent(EventHandler<? super E> handler) {
    this.handler = handler;
  }

  @SuppressWarnings("unchecked") // the constructor makes this class
  static <E> BatchHandler<E> of(EventHandler<? super E> handler) {
    if (!ClassGeneration.isOn()) {
      return new EachEvent<>(handler);
    }
    try {
      MethodHandles.Lookup made = LOOKUP.defineHiddenClass(Templates.bytes(EachEvent.class), true);
      return (BatchHandler<E>)
          made.findConstructor(
                  made.lookupClass(), MethodType.methodType(void.class, EventHandler.class))
              .invoke(handler);
    } catch (Throwable e) {
      throw new LinkageError("the template must have its constructor", e);
    }
  }

  @Override
  public void onBatch(Batch<E> batch) throws Exception {
    int size = batch.size();
    for (int i = 0; i < size; i++) {
      E event = batch.at(i);
      handler.onEvent(event, batch.sequence(), i == size - 1);
    }
  }

  @Override
  public void onStart() throws Exception {
    handler.onStart();
  }

  @Override
  public void onTimeout() throws Exception {
    handler.onTimeout();
  }

  @Override
  public void onEnd() throws Exception {
    handler.onEnd();
  }
}
