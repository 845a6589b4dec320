import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const script = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const RUN = `axe.run().then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))`

/**
 * What axe finds in a page. It runs in a world of its own, in which neither the policy of the page nor the functions
 * that the page has replaced are in its way.
 */
export async function faultsOf(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  try {
    const { frameTree } = await session.send('Page.getFrameTree')
    const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
      worldName: 'axe',
    })
    await session.send('Runtime.evaluate', { expression: `${script};0`, contextId })
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression: RUN,
      contextId,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return result.value as string[]
  } finally {
    await session.detach()
  }
}

/** By how many pixels a page is wider than the screen. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
}
