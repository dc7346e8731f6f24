/**
 * The protocols that move records through a ring: {@code SpscRing}, {@code MpscRing} and {@code
 * MpmcRing}. Each is the only implementation of its protocol. Sequencers and messages share their
 * claims, {@code SoleClaims} and {@code SharedClaims}. {@code Ring} says what a slot is. {@code
 * Stamps} says whose turn a slot is where many threads claim. {@code RecordProducer} and {@code
 * RecordConsumer} have what the ends have in common. Exported to the sibling modules only.
 */
@NullMarked
package dev.millrace.core.internal.ring;

import org.jspecify.annotations.NullMarked;
