/**
 * Every bug that the fault suite has found, what it was and which seed found it. Seeds are replayed in every run of the
 * suite; where a bug needs a certain bad day to show, the day stands here too, so that another way of drawing stories
 * does not lose it. Kept by hand since 2026-11.
 */
import type { BadDay } from './bug-story.ts';

export interface Regression {
  readonly what: string;
  /** Where it was. */
  readonly room: string;
  /** The seed that found it; absent where it was found otherwise, and the day shows it. */
  readonly seed?: number;
  /** The checker that said so. */
  readonly foundBy: string;
  readonly since: string;
  readonly day?: BadDay;
}

export const REGRESSIONS: readonly Regression[] = [
  {
    what: 'A machine that failed after it was accepted was taken away, but its claim stayed and, where the note about it was lost, got a second machine; a machine that had gone held its whole pool back.',
    room: 'controllers/lifecycle',
    seed: 14,
    foundBy: 'one machine per claim, ever',
    since: '2026-11',
    day: { azure: ['os-timeout@count=2'] },
  },
  {
    what: 'A pod was told for up to five minutes to wait for a claim that was gone, or of pools that were no longer ready: another reason within five minutes was no news.',
    room: 'controllers/provisioning',
    seed: 23,
    foundBy: 'everybody runs or knows why',
    since: '2026-11',
  },
  {
    what: 'Calls that waited for Azure to be ready again were sent although another 429 had meanwhile asked for more patience.',
    room: 'arm',
    seed: 76,
    foundBy: 'call rates hold',
    since: '2026-11',
    day: { azure: ['throttle=2@rate=0.3'] },
  },
  {
    what: 'A page of HTML with status 200 was taken for a managed cluster without settings: nodes were launched with guessed ones, and all of them drifted at the next reading.',
    room: 'arm',
    seed: 83,
    foundBy: 'nothing is written in a quiet world',
    since: '2026-11',
    day: { azure: ['non-json@rate=0.2'], quiet: true },
  },
  {
    what: 'Pods that were planned onto a node that then went without a word were never planned again.',
    room: 'controllers/provisioning',
    seed: 38,
    foundBy: 'everybody runs or knows why',
    since: '2026-11',
  },
  {
    what: 'When the cores of a region were used up, a claim was made and given up every two seconds for as long as its pods waited.',
    room: 'cloud/azure/errors',
    foundBy: 'launches are bounded',
    since: '2026-11',
    day: { azure: ['quota-regional'] },
  },
  {
    what: 'Only the first failed journey was kept: every later one failed to be written, again and again, because the patch named no version.',
    room: 'controllers/journeys',
    seed: 6,
    foundBy: 'nothing fails in a quiet world',
    since: '2026-11',
    day: { azure: ['cse@count=3'], quiet: true },
  },
  {
    what: 'A launch that failed wrote so on its claim, was woken by what it had written, and tried again at once: ten times a second, with no back-off, for as long as the trouble lasted.',
    room: 'controllers/lifecycle',
    seed: 168,
    foundBy: 'nobody writes over and over',
    since: '2026-11',
    day: { azure: ['subnet-full'] },
  },
  {
    what: 'An event that the server refused counted as told: its pod heard nothing for five minutes. One that waited behind trouble carried the time at which it was sent, and old news looked fresh.',
    room: 'kube',
    seed: 83,
    foundBy: 'everybody runs or knows why',
    since: '2026-11',
  },
  {
    what: 'A claim whose creation was carried out without an answer was made once more, under another name, when the watch lagged.',
    room: 'controllers/provisioning',
    seed: 416,
    foundBy: 'launches are bounded',
    since: '2026-11',
  },
  {
    what: 'A Node that was deleted before its claim said which machine it has went alone: its claim waited for ever for a Node that was gone, with a machine that nobody used.',
    room: 'controllers/termination',
    seed: 554,
    foundBy: 'the world comes to rest',
    since: '2026-11',
  },
  {
    what: 'A token that had expired while the cluster was read counted as a missing permission: nodes were launched for a guessed network, and all of them drifted at the next reading.',
    room: 'cloud/azure/cluster',
    seed: 1931,
    foundBy: 'nothing is written in a quiet world',
    since: '2026-11',
  },
  {
    what: 'Pods that could go anywhere were planned onto machines on their way in which others had been promised a place; for these another machine was bought, every ten seconds, until the first was ready.',
    room: 'state',
    seed: 3315,
    foundBy: 'launches are bounded',
    since: '2026-11',
  },
  {
    what: 'While the API server could not be reached, the count of each pool was tried again every second, with no back-off, and an error was logged each time.',
    room: 'controllers/pools',
    seed: 6974,
    foundBy: 'nobody writes over and over',
    since: '2026-11',
  },
  {
    what: 'Pods whose fitting sizes were sold out were told that no instance type has enough resources, as if they had asked for too much.',
    room: 'scheduling',
    seed: 2435,
    foundBy: 'everybody runs or knows why',
    since: '2026-11',
  },
];
