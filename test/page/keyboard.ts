import type { Page } from 'playwright-core'
import { expect } from 'vitest'

export const VIEWS: readonly string[] = ['Decode', 'Explain', 'Sign', 'Generate', 'Verify']

/** A reader who has no pointer. */
export class Keyboard {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  press(key: string): Promise<void> {
    return this.page.keyboard.press(key)
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.insertText(text)
  }

  /** The name of what has the focus, as assistive technology announces it. */
  async focused(): Promise<string> {
    const focus = this.page.locator(':focus')
    const name = /^- \w+ "((?:[^"\\]|\\.)*)"/.exec(await focus.ariaSnapshot())?.[1]
    // A snapshot leaves out the element that opens and closes details.
    return name ?? (await focus.getAttribute('aria-label')) ?? ''
  }

  /** Presses Tab until something with this name has the focus. */
  async to(name: string | RegExp): Promise<void> {
    const seen: string[] = []
    for (let i = 0; i < 120; i++) {
      await this.press('Tab')
      if (!(await this.page.locator(':focus').count())) continue
      const found = await this.focused()
      if (typeof name === 'string' ? found === name : name.test(found)) return
      seen.push(found)
    }
    throw new Error(`no Tab stop ${name}: ${seen.join(', ')}`)
  }

  /** Tabs to a button and presses it. */
  async use(name: string | RegExp): Promise<void> {
    await this.to(name)
    await this.press('Enter')
  }

  async openView(name: string): Promise<void> {
    await this.to(new RegExp(`^(${VIEWS.join('|')})$`))
    await this.press('Home')
    for (let i = 0; i < VIEWS.indexOf(name); i++) await this.press('ArrowRight')
    expect(await this.focused()).toBe(name)
  }
}
