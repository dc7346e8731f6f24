/** What articles claim, measured once more: see {@code docs/ARTICLES.md}. */
package dev.millrace.bench.articles;
