/** The maximum number of suggestions of each kind. */
export const maxOf = { places: 3, categories: 3, events: 5, corrections: 3 };
