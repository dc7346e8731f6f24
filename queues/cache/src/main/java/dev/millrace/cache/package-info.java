/** A cache in native memory, bounded in bytes, which costs the garbage collector nothing. */
package dev.millrace.cache;
