package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MessageQueueTest {
  @Test
  void first() {
    try (MessageQueue queue = MessageQueue.mpmc(QueueOptions.ofCapacity(1024))) {
      MessageProducer out = queue.newProducer();
      MessageConsumer in = queue.newConsumer();
      for (int i = 0; i < 1000; i++) {
        int length = i * 7 % 300;
        Message message = out.tryClaim(i, length);
        assertThat(message).as("%d", i).isNotNull();
        for (int k = 0; k < length; k++) message.putByte(k, (byte) (i + k));
        out.commit();
        Message got = in.tryPoll();
        assertThat(got.type()).isEqualTo(i);
        assertThat(got.length()).isEqualTo(length);
        for (int k = 0; k < length; k++) assertThat(got.getByte(k)).isEqualTo((byte) (i + k));
        in.release();
      }
      assertThat(in.tryPoll()).isNull();
    }
  }
}
