/** Anyone on this node -> region: from now on so many entities may be active here, also in shards that come later. */
export class SetActiveEntityLimit {
  readonly perRegion: number

  constructor(perRegion: number) {
    this.perRegion = perRegion
  }
}
