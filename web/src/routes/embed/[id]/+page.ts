/** A frame of another site needs no scripts. */
export const csr = false;
