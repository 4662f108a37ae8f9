import { Presets, SingleBar } from 'cli-progress';

/**
 * Starts a progress bar on stderr. It prints nothing if stderr is not a terminal. The caller stops it.
 * @param format text with the placeholders {bar}, {value}, {total} and {percentage}
 * @param total the value of a full bar
 */
export function startProgressBar(format: string, total: number): SingleBar {
  const bar = new SingleBar({ format: `  ${format}`, hideCursor: true, clearOnComplete: true }, Presets.rect);
  bar.start(total, 0);
  return bar;
}
