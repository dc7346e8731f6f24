/**
 * A file that several processes map: how it is made and opened, who takes part, who of them is
 * dead, and how what a dead participant had open is recovered. What the rings keep in the file is
 * their own business.
 */
package dev.millrace.queues.internal.shared;
