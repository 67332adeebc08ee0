# python hotel_agent.py http://127.0.0.1:7070 'find me a hotel' 'the second one'
import sys

from throughline import Agent, Execution, Handover, ask, show

HOTELS = ["Casa Azul", "Lisbon Inn", "Porto Palace"]
agent = Agent(sys.argv[1])


@agent.on_handover  # your model and your tools go here
def answer(message: Handover) -> object:
    if "hotel" in message["text"]:
        return show({f"book:{name}": name for name in HOTELS})
    return ask("For how many nights?", expected="number")


@agent.on_option
def book(option: Execution) -> None:
    print("booking", option["exec_ref"])


for text in sys.argv[2:]:
    print(">", text)
    print(agent.say(text, conversation="trip", user="ana"))
