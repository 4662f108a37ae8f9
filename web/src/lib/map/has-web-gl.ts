/** Whether the browser has a graphics driver, without which the code of the map that can be moved is not loaded. */
export const hasWebGl = (): boolean => document.createElement('canvas').getContext('webgl2') !== null;
