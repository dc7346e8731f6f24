package dev.millrace.bench.ipc;

import io.aeron.Aeron;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** A stream of Aeron's IPC, whose messages are claimed. */
final class AeronChannel extends Channel implements FragmentHandler {
  private static final String IPC = "aeron:ipc";

  private final BufferClaim claim = new BufferClaim();
  private final Publication publication;
  private final Subscription subscription;

  AeronChannel(Aeron aeron, int stream, int bytes, boolean sends) {
    super(bytes);
    this.publication = sends ? aeron.addExclusivePublication(IPC, stream) : null;
    this.subscription = sends ? null : aeron.addSubscription(IPC, stream);
  }

  @Override
  boolean send(long number) {
    long position = publication.tryClaim(words * Long.BYTES, claim);
    if (position < 0) {
      if (position == Publication.CLOSED || position == Publication.MAX_POSITION_EXCEEDED) {
        throw new IllegalStateException(Publication.errorString(position));
      }
      return false;
    }
    MutableDirectBuffer buffer = claim.buffer();
    for (int i = 0; i < words; i++) {
      buffer.putLong(claim.offset() + i * Long.BYTES, number + i);
    }
    claim.commit();
    return true;
  }

  @Override
  int receive(int limit) {
    return subscription.poll(this, limit);
  }

  @Override
  public void onFragment(DirectBuffer buffer, int offset, int length, Header header) {
    long sum = 0;
    for (int i = 0; i < words; i++) {
      sum += buffer.getLong(offset + i * Long.BYTES);
    }
    take(buffer.getLong(offset), sum);
  }

  @Override
  public void close() {
    if (publication != null) {
      publication.close();
    } else {
      subscription.close();
    }
  }
}
