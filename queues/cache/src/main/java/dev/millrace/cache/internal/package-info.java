/** The shards of a cache. For the library itself; may change at any time. */
package dev.millrace.cache.internal;
