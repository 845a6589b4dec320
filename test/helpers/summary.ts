import type { Reporter, TestModule } from 'vitest/node'
import { runsAll, testSeed } from './todays-cases.ts'

/** Prints which cases were run and, as the last line, the number of passed, failed and skipped tests. */
export default class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'pending') counts[state]++
      }
      // A file that fails to load has no tests.
      if (module.errors().length > 0) counts.failed++
    }
    const { passed, failed, skipped } = counts
    if (!runsAll)
      console.log(`\nran an eighth of the slow cases: AVMKIT_TEST_SEED=${testSeed} repeats it`)
    console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`)
  }
}
