export * from './causes.fixture.ts';
