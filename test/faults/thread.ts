/** The inside of a thread that plays: one thing at a time, and the answer is what came of it. See `threads.ts`. */
import { parentPort } from 'node:worker_threads';
import { playBugStory } from './bug-story.ts';
import { crashAt } from './crash-sweep.ts';
import { DELIBERATE_BUGS } from './deliberate-bugs.ts';
import type { Outcome, Play } from './play.ts';
import { runTrial } from './trial.ts';

parentPort?.on('message', async (play: Play) => {
  parentPort?.postMessage(await played(play));
});

// ---------------------------------------------------------------------------------------------------

function played(play: Play): Promise<Outcome> {
  switch (play.kind) {
    case 'seed':
      return runTrial({ seed: play.seed });
    case 'crash':
      return crashAt(play.effect, play.answer);
    case 'day':
      return playBugStory({}, play.day);
    case 'bug': {
      const bug = DELIBERATE_BUGS.find(({ name }) => name === play.bug);
      if (bug === undefined) throw new Error(`there is no bug "${play.bug}"`);
      return playBugStory(bug.seams, bug.day);
    }
  }
}
