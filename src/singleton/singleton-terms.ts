/**
 * How high terms go. A term begins with the number by which its host became Up, below 2^31, and counts the lives behind it;
 * whoever hears of a higher one goes above it. A peer that is damaged, or lies, could send one so high that the next would
 * be refused by everybody, and the singleton were never found again. So nobody goes above a term that no number begins: all
 * that is made here stays below what others take.
 */

/** Lives on one node that terms can tell apart. */
export const livesMax = 2 ** 20

/** Above all terms that begin with a number; such a one is not gone above, and is forgotten with the node that said it. */
export const heededTermLimit = 2 ** 31 * livesMax

/** No term on the wire reaches this. Leaves room for the lives of whoever was brought up to the limit above. */
export const wireTermLimit = 2 * heededTermLimit
