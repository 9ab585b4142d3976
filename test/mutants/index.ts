/**
 * Seeded bugs: real ones of the field (B), states that come back or do not outlive a deletion (D), ways to found a cluster
 * twice (F), to hold a lease twice (L), members that are wronged (M), some that our nested behaviors had (N), checks of our
 * protocols left out (P), projections that move on too early (R), and splits of which two sides survive (S). Each is a small
 * edit of our source that is applied when modules are loaded (`npm run simulate -- --mutant NAME`). The checkers must find
 * every one; that shows that they can.
 */
import { B01 } from './b01.ts'
import { B02 } from './b02.ts'
import { B03 } from './b03.ts'
import { B04 } from './b04.ts'
import { B05 } from './b05.ts'
import { B06 } from './b06.ts'
import { B07 } from './b07.ts'
import { B08 } from './b08.ts'
import { B09 } from './b09.ts'
import { B10 } from './b10.ts'
import { B11 } from './b11.ts'
import { B12 } from './b12.ts'
import { B13 } from './b13.ts'
import { B14 } from './b14.ts'
import { B15 } from './b15.ts'
import { B16 } from './b16.ts'
import { B17 } from './b17.ts'
import { B18 } from './b18.ts'
import { B19 } from './b19.ts'
import { B20 } from './b20.ts'
import { B21 } from './b21.ts'
import { B22 } from './b22.ts'
import { B23 } from './b23.ts'
import { B24 } from './b24.ts'
import { B25 } from './b25.ts'
import { B26 } from './b26.ts'
import { B27 } from './b27.ts'
import { B28 } from './b28.ts'
import { B33 } from './b33.ts'
import { B34 } from './b34.ts'
import { B35 } from './b35.ts'
import { B36 } from './b36.ts'
import { B37 } from './b37.ts'
import { B38 } from './b38.ts'
import { B39 } from './b39.ts'
import { B40 } from './b40.ts'
import { B41 } from './b41.ts'
import { B42 } from './b42.ts'
import { B43 } from './b43.ts'
import { D01 } from './d01.ts'
import { D02 } from './d02.ts'
import { D03 } from './d03.ts'
import { F01 } from './f01.ts'
import { F02 } from './f02.ts'
import { F04 } from './f04.ts'
import { L01 } from './l01.ts'
import { L02 } from './l02.ts'
import { L03 } from './l03.ts'
import { M01 } from './m01.ts'
import { M02 } from './m02.ts'
import { M03 } from './m03.ts'
import { M04 } from './m04.ts'
import { M05 } from './m05.ts'
import { M06 } from './m06.ts'
import { M07 } from './m07.ts'
import { M08 } from './m08.ts'
import { M09 } from './m09.ts'
import { N01 } from './n01.ts'
import { N02 } from './n02.ts'
import { N03 } from './n03.ts'
import { P01 } from './p01.ts'
import { P02 } from './p02.ts'
import { P03 } from './p03.ts'
import { P04 } from './p04.ts'
import { P05 } from './p05.ts'
import { P06 } from './p06.ts'
import { P07 } from './p07.ts'
import { P08 } from './p08.ts'
import { R01 } from './r01.ts'
import { S01 } from './s01.ts'
import { S02 } from './s02.ts'
import { S03 } from './s03.ts'
import { S04 } from './s04.ts'
import { S05 } from './s05.ts'
import { S06 } from './s06.ts'
import type { Mutant } from './mutant.ts'

export const mutants: ReadonlyMap<string, Mutant> = new Map(
  Object.entries({
    B01,
    B02,
    B03,
    B04,
    B05,
    B06,
    B07,
    B08,
    B09,
    B10,
    B11,
    B12,
    B13,
    B14,
    B15,
    B16,
    B17,
    B18,
    B19,
    B20,
    B21,
    B22,
    B23,
    B24,
    B25,
    B26,
    B27,
    B28,
    B33,
    B34,
    B35,
    B36,
    B37,
    B38,
    B39,
    B40,
    B41,
    B42,
    B43,
    D01,
    D02,
    D03,
    F01,
    F02,
    F04,
    L01,
    L02,
    L03,
    M01,
    M02,
    M03,
    M04,
    M05,
    M06,
    M07,
    M08,
    M09,
    N01,
    N02,
    N03,
    P01,
    P02,
    P03,
    P04,
    P05,
    P06,
    P07,
    P08,
    R01,
    S01,
    S02,
    S03,
    S04,
    S05,
    S06,
  }),
)
