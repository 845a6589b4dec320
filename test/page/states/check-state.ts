import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { faultsOf, overflowOf } from '../axe.ts'

/** How a state is looked at. */
export type Look = { readonly scheme: 'light' | 'dark'; readonly width: number }

/** Every look that is tested. */
export const LOOKS: readonly Look[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'light', width: 320 },
  { scheme: 'dark', width: 1280 },
  { scheme: 'dark', width: 320 },
]

/**
 * Expects that axe finds no fault in a state of a page and that it does not scroll sideways. With
 * `AVMKIT_SCREENSHOTS`, a picture of it is written to that folder.
 */
export async function checkState(page: Page, name: string, look: Look): Promise<void> {
  const folder = process.env.AVMKIT_SCREENSHOTS
  const path = join(folder ?? '', `${name}-${look.scheme}-${look.width}.png`)
  if (folder !== undefined) await page.screenshot({ path, fullPage: true })
  expect(await faultsOf(page), name).toEqual([])
  expect(await overflowOf(page), name).toBeLessThanOrEqual(0)
}
