/** Times in the zone of the browser, which the header names once. */
import { fullTime } from '../model/format.ts';
import { splitTimes } from '../model/timed-text.ts';

export function Time({ ms }: { readonly ms: number }) {
  return <time dateTime={new Date(ms).toISOString()}>{fullTime(ms)}</time>;
}

/** A text of the cluster: the times in it are in the zone of the others. */
export function TimedText({ text }: { readonly text: string }) {
  return (
    <span class="text">
      {splitTimes(text).map((part, at) => (typeof part === 'string' ? part : <Time key={at} ms={part} />))}
    </span>
  );
}
