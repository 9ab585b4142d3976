/**
 * Baseline `bare` of `ask`: the ring loop and one promise per call, resolved by the handler. No
 * timeout, no cancellation, no way to fail.
 */
import { RingLoop } from './ring-loop.ts'

interface Call<Question, Answer> {
  readonly question: Question
  readonly resolve: (answer: Answer) => void
}

export class PromiseLoop<Question, Answer> {
  readonly loop = new RingLoop<Call<Question, Answer>>()

  spawn(id: string, answer: (question: Question) => Answer): void {
    this.loop.spawn(id, (call) => call.resolve(answer(call.question)))
  }

  ask(id: string, question: Question): Promise<Answer> {
    return new Promise((resolve) => {
      this.loop.tell(id, { question, resolve })
    })
  }
}
