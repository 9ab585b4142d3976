/** Parts of a whole, as somebody chose them. What is undefined is as if it were not given. */
export type Chosen<Whole> = { readonly [Part in keyof Whole]?: Whole[Part] | undefined }
