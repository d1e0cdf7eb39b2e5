import { describe } from 'vitest';
import { holdSeeds } from './seed-suite.ts';

describe('a bad day, drawn from a seed', () => holdSeeds(1, 25));
