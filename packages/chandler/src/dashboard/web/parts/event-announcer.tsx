/** A live region for screen readers: what happened, in few words and not too often. */
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { after } from '../browser.ts';
import { count } from '../model/format.ts';

const INTERVAL_MS = 5000;

export function EventAnnouncer() {
  const { store } = useApp();
  const [text, setText] = useState('');
  useEffect(() => {
    let heard = store.revisions.happened;
    let cancel: (() => void) | undefined;
    const unlisten = store.listen(() => {
      if (cancel !== undefined || store.revisions.happened === heard) return;
      cancel = after(INTERVAL_MS, () => {
        const number = store.revisions.happened - heard;
        heard = store.revisions.happened;
        cancel = undefined;
        const last = store.happened.at(-1);
        if (last !== undefined)
          setText(number > 1 ? `${last.text}, and ${count(number - 1, 'more event')}` : last.text);
      });
    });
    return () => {
      cancel?.();
      unlisten();
    };
  }, [store]);
  return (
    <div class="hidden" role="log" aria-live="polite" aria-label="Latest events">
      {text}
    </div>
  );
}
