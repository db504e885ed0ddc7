"""
Tagging texts, end to end
=========================

Support tickets with free text and several tags each: from a table of strings to tags of new tickets, in
three lines.
"""

# %%
# Generated tickets. A ticket about money often asks for a refund, whatever its words are.
import matplotlib.pyplot as plt
import numpy as np

from setwise import ConditionalTree, TableEncoder, make_set_pipeline

WORDS = {
    "billing": ["charged", "invoice", "payment", "card", "price", "twice"],
    "refund": ["refund", "money", "back", "return", "please"],
    "login": ["password", "login", "account", "locked", "email"],
    "bug": ["crash", "error", "broken", "freeze", "screen"],
}
FILLER = ["the", "a", "my", "is", "was", "and", "it", "with", "when", "to", "on", "hello", "thanks", "since"]


def tickets(n, rng):
    texts, tags = [], []
    for _ in range(n):
        billing, login, bug = rng.random(3) < [0.45, 0.35, 0.3]
        on = {"billing": billing, "refund": billing and rng.random() < 0.6, "login": login, "bug": bug}
        words = [rng.choice(WORDS[tag]) for tag in WORDS if on[tag] and rng.random() < 0.75 for _ in range(2)]
        texts.append(" ".join(rng.permutation(words + list(rng.choice(FILLER, 8)))))
        tags.append([tag for tag in WORDS if on[tag]])
    return {"message": texts}, tags


rng = np.random.default_rng(0)
table, tags = tickets(800, rng)
new_table, new_tags = tickets(300, rng)
print(table["message"][0], "->", tags[0])

# %%
# The encoder finds out that the column is text. ``fit`` takes lists of tags, ``predict_tags`` returns
# them.
model = make_set_pipeline(TableEncoder(), ConditionalTree(random_state=0))
model.fit(table, tags)
answers = model.predict_tags(new_table)
right = np.mean([sorted(answer) == sorted(truth) for answer, truth in zip(answers, new_tags)])
print(f"whole sets right: {right:.2f}")

# %%
# The words say "charged", not "refund". What does the model make of it, and what if an agent says that
# there is no refund?
note = {"message": ["hello i was charged twice on my card"]}
joint = model.distribution(note)
worlds = {"as written": joint, "no refund wanted": joint.condition({"refund": 0})}
figure, ax = plt.subplots()
for shift, (name, world) in zip((-0.2, 0.2), worlds.items()):
    ax.bar(np.arange(4) + shift, world.marginals()[0], width=0.4, label=name)
ax.set(xticks=range(4), xticklabels=[str(name) for name in model.classes_], ylabel="P(tag)")
ax.legend(frameon=False)
plt.show()
