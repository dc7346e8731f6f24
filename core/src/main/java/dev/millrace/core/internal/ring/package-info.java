/**
 * The protocols that move records through a ring, each the only text of what it does: {@code
 * SpscRing}, {@code MpscRing}, {@code MpmcRing}, and the claims that sequencers and messages share
 * with them, {@code SoleClaims} and {@code SharedClaims}. {@code Ring} says what a slot is, {@code
 * Stamps} whose turn it is where many threads claim. {@code RecordProducer} and {@code
 * RecordConsumer} are what the ends have in common. Exported to the sibling modules only.
 */
package dev.millrace.core.internal.ring;
