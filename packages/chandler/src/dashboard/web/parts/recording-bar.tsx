/** The recording: a slider over its time, to play, to step, to save it, and to return to the present. */
import { useApp, usePlayback } from '../app-context.ts';
import { duration, fullTime } from '../model/format.ts';
import { save } from './export-buttons.tsx';

const RATES = [1, 10, 60, 600] as const;
/** Positions of the slider that arrow keys reach. */
const POSITIONS = 500;
const MIN_STEP_MS = 1000;

export function RecordingBar() {
  const { connection } = useApp();
  const playback = usePlayback();
  const { replay, error, isLoading } = playback;
  const recording = connection.session?.recording;
  if (recording === undefined) return null;
  return (
    <section class="recording" aria-label="Recording">
      {error === null ? null : (
        <p class="notice error" role="alert">
          The recording could not be read: {error.error}
        </p>
      )}
      {replay === null ? (
        <button type="button" disabled={isLoading} onClick={() => void playback.open()}>
          {isLoading ? 'Reading the recording …' : 'Look back'}
        </button>
      ) : (
        <Controls isLive={recording === 'live'} />
      )}
    </section>
  );
}

function Controls({ isLive }: { readonly isLive: boolean }) {
  const playback = usePlayback();
  const replay = playback.replay!;
  const { startMs, endMs } = replay.recording;
  const stepMs = Math.max(MIN_STEP_MS, Math.round((endMs - startMs) / POSITIONS));
  const position = Math.ceil((replay.atMs - startMs) / stepMs);
  const text = `${fullTime(replay.atMs)}, ${duration(replay.atMs - startMs)} of ${duration(endMs - startMs)}`;
  return (
    <>
      <fieldset class="buttons">
        <legend class="hidden">Playback</legend>
        <button type="button" onClick={() => playback.step(-1)}>
          ← Step<span class="hidden"> back</span>
        </button>
        {playback.isPlaying ? (
          <button type="button" onClick={() => playback.pause()}>
            Pause
          </button>
        ) : (
          <button type="button" onClick={() => playback.play()}>
            Play<span class="hidden"> the recording</span>
          </button>
        )}
        <button type="button" onClick={() => playback.step(1)}>
          Step<span class="hidden"> forward</span> →
        </button>
      </fieldset>
      <input
        type="range"
        class="scrub"
        aria-label="Time in the recording"
        aria-valuetext={text}
        min={0}
        max={Math.ceil((endMs - startMs) / stepMs)}
        step={1}
        value={position}
        onInput={(event) => {
          playback.pause();
          playback.seek(startMs + Number(event.currentTarget.value) * stepMs);
        }}
      />
      <span class="soft recorded-time">{text}</span>
      <label>
        Playback speed{' '}
        <select
          value={String(playback.rate)}
          onChange={(event) => playback.setRate(Number(event.currentTarget.value))}
        >
          {RATES.map((rate) => (
            <option key={rate} value={String(rate)}>
              ×{rate}
            </option>
          ))}
        </select>
      </label>
      {isLive ? (
        <>
          <button
            type="button"
            onClick={() =>
              save('recording.jsonl', new Blob([playback.text], { type: 'application/x-ndjson' }))
            }
          >
            Save<span class="hidden"> the recording</span>
          </button>
          <button type="button" class="primary" onClick={() => playback.leave()}>
            Return to live
          </button>
        </>
      ) : null}
    </>
  );
}
